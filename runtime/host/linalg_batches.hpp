// What the functions of linalg_*.cpp share: batches of matrices.
#pragma once

#include <codegen/functions/linalg.hpp>
#include <runtime/host/lapack.hpp>
#include <runtime/system/parallel.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace sinter::codegen::batched {

/// Calls f.operator()<T>() for the dtype of matrices.
template <class F>
void for_matrix_type(dtype type, const F& f) {
    switch (type) {
        case dtype::float32: return f.template operator()<float>();
        case dtype::float64: return f.template operator()<double>();
        case dtype::complex64: return f.template operator()<std::complex<float>>();
        default: return f.template operator()<std::complex<double>>();
    }
}

/// Calls body(scratch, i) for each matrix, on all cores; a single matrix is handled on this thread, so that LAPACK may
/// use all cores. Each thread has a copy of `scratch`, made before anything is written.
template <class Scratch, class Body>
void for_each_matrix(std::int64_t count, std::int64_t elements, const Scratch& scratch, const Body& body) {
    constexpr std::int64_t enough = 1 << 12;  ///< elements that are worth a task
    Scratch own = scratch;
    cancellable_loop(
        count, std::max<std::int64_t>(1, enough / std::max<std::int64_t>(1, elements)), own,
        [&](std::optional<Scratch>& mine) { mine.emplace(scratch); },
        [&](Scratch& s, std::int64_t i, std::int64_t end) {
            for (; i < end; ++i) body(s, i);
        });
}

/// LAPACK's extents are ints.
inline int extent(const char* function, std::int64_t n) {
    if (n > std::numeric_limits<int>::max())
        throw error(fmt::format("{}: LAPACK takes matrices of up to 2147483647 rows and columns, not {}", function, n));
    return static_cast<int>(n);
}

/// The least leading dimension that LAPACK accepts.
inline int leading(int n) { return n > 0 ? n : 1; }

/// The number of elements of a work array, from the answer to a workspace query.
template <class T>
int work_size(const T& answer) {
    return std::max(1, static_cast<int>(std::real(answer)));
}

/// The number of the first matrix whose factorisation failed; -1: none.
class first_failure {
public:
    void at(std::int64_t i) {
        std::int64_t before = first_.load();
        while ((before < 0 || i < before) && !first_.compare_exchange_weak(before, i)) {
        }
    }
    /// Throws if there was one: `what` of `function`, in the array that has `batches` matrices.
    void raise(const char* function, const char* what, const char* cure, std::int64_t batches) const {
        const std::int64_t i = first_.load();
        if (i < 0) return;
        if (batches == 1) throw error(fmt::format("{}: the matrix {}; {}", function, what, cure));
        throw error(fmt::format("{}: matrix {} of {} {}; {}", function, i, batches, what, cure));
    }

private:
    std::atomic<std::int64_t> first_{-1};
};

/// Whether no element is NaN or infinite: LAPACK's iterations must not be started on those.
template <class T>
bool is_finite(const T* from, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        if (!std::isfinite(std::real(from[i])) || !std::isfinite(std::imag(from[i]))) return false;
    return true;
}

template <class T>
void fill_nan(T* to, std::int64_t n) {
    if (to != nullptr) std::fill_n(to, n, T(std::numeric_limits<typename real_part_of<T>::type>::quiet_NaN()));
}

/// The transpose of a matrix of rows x columns; both are row-major.
template <class T>
void transpose(const T* from, T* to, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

}  // namespace sinter::codegen::batched
