// Folds of the elements of columns where they lie, for one instruction set. Compiled once per instruction set, which
// SINTER_ISA names.
#include <codegen/rows/column_folds.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

#define SINTER_ROW_UNARY(name, rule, ...)
#define SINTER_ROW_BINARY(name, rule, ...)
#define SINTER_ROW_TERNARY(name, rule, ...)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...)
#define SINTER_ROW_INFIX(name, symbol, rule, ...)
#define SINTER_ROW_REDUCTION(name, rule, empty, start, ...) SINTER_DETAIL_BODY(name##_of_columns, __VA_ARGS__);
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>

template <class T>
const T* row_at(const void* from, std::size_t row, std::ptrdiff_t stride) {
    return reinterpret_cast<const T*>(static_cast<const std::byte*>(from) + static_cast<std::ptrdiff_t>(row) * stride);
}

/// Few columns without gaps: several rows side by side are columns, too. Folds these into accumulators of their own,
/// and those into the columns'. Returns the number of rows that it has folded.
template <class Body, class T, class E, class Fold>
std::size_t fold_side_by_side(T* to, const E* from, std::size_t columns, std::size_t rows, std::ptrdiff_t stride,
                              Fold fold) {
    constexpr std::size_t beside = 8, most = 16;  // rows; columns
    if (columns >= most || rows < 2 * beside || stride != static_cast<std::ptrdiff_t>(columns * sizeof(E))) return 0;
    T side[beside * most];
    for (std::size_t j = 0; j < beside * columns; ++j) side[j] = T(detail::load_element(from, j));
    const std::size_t further = rows / beside - 1;
    fold(side, from + beside * columns, beside * columns, further, stride * static_cast<std::ptrdiff_t>(beside));
    for (std::size_t r = 0; r < beside; ++r)
        for (std::size_t j = 0; j < columns; ++j)
            to[j] = static_cast<T>(Body::template call<T, T>(to[j], side[r * columns + j], T()));
    return (further + 1) * beside;
}

/// One element after the other into each column's accumulator, which stays in a register for a few rows. More rows at
/// once would be more streams than processors prefetch.
template <class Body, class T>
void fold_rows_below(T* out, const T* from, std::size_t columns, std::size_t rows, std::ptrdiff_t stride) {
    // g++ unrolls loops of 16 steps before it looks for vectors, and then finds none in choices, as those of a maximum
    constexpr std::size_t width = std::max<std::size_t>(128 / sizeof(T), 32), rows_at_once = 8;
    const auto fold = [&](T & accumulator, const T* row, std::size_t column) __attribute__((always_inline)) {
        accumulator = static_cast<T>(Body::template call<T, T>(accumulator, detail::load_element(row, column), T()));
    };
    for (std::size_t first = 0; first < rows; first += rows_at_once) {
        const std::size_t end = std::min(rows, first + rows_at_once);
        std::size_t i = 0;
        for (; i + width <= columns; i += width) {
            T lane[width];
            for (std::size_t j = 0; j < width; ++j) lane[j] = out[i + j];
            for (std::size_t r = first; r < end; ++r) {
                const T* const row = row_at<T>(from, r, stride) + i;
                for (std::size_t j = 0; j < width; ++j) fold(lane[j], row, j);
            }
            for (std::size_t j = 0; j < width; ++j) out[i + j] = lane[j];
        }
        for (std::size_t r = first; r < end && i < columns; ++r) {
            const T* const row = row_at<T>(from, r, stride);
            SINTER_DETAIL_IVDEP
            for (std::size_t j = i; j < columns; ++j) fold(out[j], row, j);
        }
    }
}

template <class Body, class T>
void fold_columns(void* to, const void* from, std::size_t columns, std::size_t rows, std::ptrdiff_t stride) {
    T* const out = static_cast<T*>(to);
    const std::size_t done =
        fold_side_by_side<Body>(out, static_cast<const T*>(from), columns, rows, stride, fold_rows_below<Body, T>);
    fold_rows_below<Body>(out, row_at<T>(from, done, stride), columns, rows - done, stride);
}

/// Of `count` columns, at most Width: their moments in two passes over elements that are in the cache, merged once.
template <class Body, class T, class R, std::size_t Width>
[[gnu::always_inline]] inline void fold_moments(T* to, const R* from, std::size_t count, std::size_t rows,
                                                std::ptrdiff_t stride) {
    R offset[Width] = {}, squares[Width] = {};
    for (std::size_t r = 1; r < rows; ++r) {
        const R* const row = row_at<R>(from, r, stride);
        for (std::size_t j = 0; j < count; ++j) offset[j] += row[j] - from[j];
    }
    for (std::size_t j = 0; j < count; ++j) offset[j] /= static_cast<R>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        const R* const row = row_at<R>(from, r, stride);
        for (std::size_t j = 0; j < count; ++j) {
            const R off = (row[j] - from[j]) - offset[j];
            squares[j] += off * off;
        }
    }
    for (std::size_t j = 0; j < count; ++j)
        to[j] = Body::template call<T, T>(to[j], T(from[j], offset[j], squares[j], static_cast<R>(rows)), T());
}

template <class Body, class T, class R>
void fold_moments_below(T* out, const R* in, std::size_t columns, std::size_t rows, std::ptrdiff_t stride) {
    constexpr std::size_t width = 128 / sizeof(R);
    if (rows == 0) return;
    std::size_t i = 0;
    for (; i + width <= columns; i += width) fold_moments<Body, T, R, width>(out + i, in + i, width, rows, stride);
    if (i < columns) fold_moments<Body, T, R, width>(out + i, in + i, columns - i, rows, stride);
}

template <class Body, class T, class R>
void fold_moments_of_columns(void* to, const void* from, std::size_t columns, std::size_t rows, std::ptrdiff_t stride) {
    T* const out = static_cast<T*>(to);
    const std::size_t done = fold_side_by_side<Body>(out, static_cast<const R*>(from), columns, rows, stride,
                                                     fold_moments_below<Body, T, R>);
    fold_moments_below<Body, T>(out, row_at<R>(from, done, stride), columns, rows - done, stride);
}

template <class Body, dtype_rule R>
column_fold fold_of_columns(dtype type) {
    return detail::with_value_dtype(type, []<dtype D>() -> column_fold {
        if constexpr (!computes_in(R, D))
            return nullptr;
        else if constexpr (is_moments(D))
            return fold_moments_of_columns<Body, detail::number_t<D>, detail::number_t<real_of(D)>>;
        else if constexpr (detail::is_accumulator(D))
            return nullptr;
        else
            return fold_columns<Body, detail::number_t<D>>;
    });
}

}  // namespace

column_fold SINTER_FORM(column_fold_loop)(int builtin, dtype type) {
#define SINTER_MAP(name, rule, arity)
#define SINTER_FOLD(name, rule) \
    case builtin_op::name: return fold_of_columns<name##_of_columns, dtype_rule::rule>(type);
    switch (static_cast<builtin_op>(builtin)) {
#include <codegen/rows/cases.def>
        default: return nullptr;
    }
}

}  // namespace sinter::codegen
