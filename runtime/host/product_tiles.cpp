// A part of a matrix product, for one instruction set. Compiled once per instruction set, which SINTER_ISA names.
//
// The algorithm is Goto's (K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008):
// some steps of both operands are packed in the order of their use, A in slices of a few rows and B in slices of two
// vectors of columns; then tiles of one slice of each are summed in registers. Packing also converts half types and
// transposes. Every element is summed step by step, whatever the width of the vectors.
#include <codegen/ir/round.hpp>
#include <codegen/rows/form.hpp>
#include <runtime/host/tiles.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::codegen {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
constexpr std::int64_t tile_rows = 6, steps = 256;
template <class T>
constexpr std::int64_t lanes = vector_bytes / sizeof(T);
template <class T>
constexpr std::int64_t tile_columns = 2 * lanes<T>;

template <class T, class S>
T widened(S x) {
    if constexpr (sizeof(S) == 2)
        return static_cast<T>(static_cast<float>(x));
    else
        return static_cast<T>(x);
}

/// c += a b for a tile, whose elements are contiguous.
template <class T>
void multiply_tile(const T* a, const T* b, T* c, std::int64_t depth) {
    using vector [[gnu::vector_size(vector_bytes)]] = T;
    vector sum[tile_rows][2];
    std::memcpy(sum, c, sizeof sum);
    for (std::int64_t k = 0; k < depth; ++k, a += tile_rows, b += tile_columns<T>) {
        vector left, right;
        std::memcpy(&left, b, sizeof left);
        std::memcpy(&right, b + lanes<T>, sizeof right);
#pragma GCC unroll 6
        for (std::int64_t i = 0; i < tile_rows; ++i) {
            sum[i][0] += a[i] * left;
            sum[i][1] += a[i] * right;
        }
    }
    std::memcpy(c, sum, sizeof sum);
}

/// Packs elements [first, first + count) along one axis by `depth` steps along the other, in slices of `Slice`
/// neighbours; the last slice is padded with zeros.
template <std::int64_t Slice, class T, class S>
void pack(T* to, const S* from, std::int64_t along, std::int64_t step, std::int64_t count, std::int64_t depth) {
    for (std::int64_t slice = 0; slice < count; slice += Slice)
        for (std::int64_t k = 0; k < depth; ++k)
            for (std::int64_t i = 0; i < Slice; ++i)
                *to++ = slice + i < count ? widened<T>(from[(slice + i) * along + k * step]) : T(0);
}

template <class T>
T number(const ir::scalar_bits& bits) {
    T value;
    std::memcpy(&value, &bits.bits, sizeof value);
    return value;
}

/// Computes D's elements from the sums of a part.
template <class T, class D>
void finish(const gemm& g, const gemm_pointers& p, T alpha, T beta, const gemm_part& part, const T* sums) {
    const std::int64_t across = divide_up(part.columns, tile_columns<T>);
    const auto* c = reinterpret_cast<const D*>(p.c);
    const auto* bias = reinterpret_cast<const D*>(p.bias);
    auto* d = reinterpret_cast<D*>(p.d);
    for (std::int64_t i = 0; i < part.rows; ++i)
        for (std::int64_t j = 0; j < part.columns; ++j) {
            const std::int64_t tile = i / tile_rows * across + j / tile_columns<T>;
            const std::int64_t row = part.first_row + i, column = part.first_column + j;
            T value = alpha * sums[(tile * tile_rows + i % tile_rows) * tile_columns<T> + j % tile_columns<T>];
            if (c != nullptr) value += beta * widened<T>(c[row * g.c.leading + column]);
            if (bias != nullptr) value += widened<T>(bias[column]);
            d[row * g.d.leading + column] = static_cast<D>(value);
        }
}

template <class T, class S>
void multiply(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
              const gemm_part& part, std::byte* memory) {
    const std::int64_t down = divide_up(part.rows, tile_rows), across = divide_up(part.columns, tile_columns<T>);
    const std::int64_t at_once = std::min(steps, g.depth);
    static_assert(part_rows % tile_rows == 0 && part_columns % tile_columns<T> == 0 && steps == part_steps);
    T* const a = reinterpret_cast<T*>(memory);
    T* const b = a + down * tile_rows * at_once;
    T* const sums = b + across * tile_columns<T> * at_once;
    std::memset(sums, 0, static_cast<std::size_t>(down * across * tile_rows * tile_columns<T>) * sizeof(T));
    const std::int64_t row_a = g.a.transposed ? 1 : g.a.leading, step_a = g.a.transposed ? g.a.leading : 1;
    const std::int64_t column_b = g.b.transposed ? g.b.leading : 1, step_b = g.b.transposed ? 1 : g.b.leading;
    const auto* from_a = reinterpret_cast<const S*>(p.a) + part.first_row * row_a;
    const auto* from_b = reinterpret_cast<const S*>(p.b) + part.first_column * column_b;
    for (std::int64_t k = 0; k < g.depth; k += at_once) {
        const std::int64_t depth = std::min(at_once, g.depth - k);
        pack<tile_rows>(a, from_a + k * step_a, row_a, step_a, part.rows, depth);
        pack<tile_columns<T>>(b, from_b + k * step_b, column_b, step_b, part.columns, depth);
        for (std::int64_t j = 0; j < across; ++j)
            for (std::int64_t i = 0; i < down; ++i)
                multiply_tile(a + i * tile_rows * depth, b + j * tile_columns<T> * depth,
                              sums + (i * across + j) * tile_rows * tile_columns<T>, depth);
    }
    if (g.d.type == g.a.type)
        finish<T, S>(g, p, number<T>(alpha), number<T>(beta), part, sums);
    else
        finish<T, T>(g, p, number<T>(alpha), number<T>(beta), part, sums);
}

}  // namespace

void SINTER_FORM(multiply_part)(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha,
                                const ir::scalar_bits& beta, const gemm_part& part, std::byte* memory) {
    switch (g.a.type) {
        case dtype::float16: return multiply<float, float16>(g, p, alpha, beta, part, memory);
        case dtype::bfloat16: return multiply<float, bfloat16>(g, p, alpha, beta, part, memory);
        case dtype::float64: return multiply<double, double>(g, p, alpha, beta, part, memory);
        default: return multiply<float, float>(g, p, alpha, beta, part, memory);
    }
}

}  // namespace sinter::codegen
