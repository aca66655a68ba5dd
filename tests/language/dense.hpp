// Reference matrices in plain loops over complex doubles: residuals of linear algebra's results. Random batches.
#pragma once

#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sinter::test {

template <class T>
constexpr bool is_complex_type = false;
template <class R>
constexpr bool is_complex_type<std::complex<R>> = true;

struct dense {
    std::int64_t rows = 0, columns = 0;
    std::vector<std::complex<double>> elements;

    dense(std::int64_t m, std::int64_t n) : rows(m), columns(n), elements(static_cast<std::size_t>(m * n)) {}
    /// Matrix number `batch` of an array's elements.
    template <class T>
    dense(const std::vector<T>& all, std::int64_t m, std::int64_t n, std::int64_t batch = 0) : dense(m, n) {
        for (std::int64_t e = 0; e < m * n; ++e)
            elements[static_cast<std::size_t>(e)] =
                std::complex<double>(all[static_cast<std::size_t>(batch * m * n + e)]);
    }
    static dense identity(std::int64_t n) {
        dense made(n, n);
        for (std::int64_t i = 0; i < n; ++i) made(i, i) = 1;
        return made;
    }
    /// The matrix that has a vector on its diagonal.
    template <class R>
    static dense diagonal(const std::vector<R>& all, std::int64_t m, std::int64_t n, std::int64_t batch = 0) {
        dense made(m, n);
        const std::int64_t length = std::min(m, n);
        for (std::int64_t i = 0; i < length; ++i) made(i, i) = all[static_cast<std::size_t>(batch * length + i)];
        return made;
    }

    std::complex<double>& operator()(std::int64_t i, std::int64_t j) {
        return elements[static_cast<std::size_t>(i * columns + j)];
    }
    std::complex<double> operator()(std::int64_t i, std::int64_t j) const {
        return elements[static_cast<std::size_t>(i * columns + j)];
    }
    double largest() const {
        double most = 0;
        for (const auto& x : elements) most = std::abs(x) <= most ? most : std::abs(x);  // NaN stays
        return most;
    }
    friend dense operator*(const dense& a, const dense& b) {
        dense made(a.rows, b.columns);
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (std::int64_t k = 0; k < a.columns; ++k)
                for (std::int64_t j = 0; j < b.columns; ++j) made(i, j) += a(i, k) * b(k, j);
        return made;
    }
    friend dense operator-(dense a, const dense& b) {
        for (std::size_t e = 0; e < a.elements.size(); ++e) a.elements[e] -= b.elements[e];
        return a;
    }
    friend dense adjoint(const dense& a) {
        dense made(a.columns, a.rows);
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (std::int64_t j = 0; j < a.columns; ++j) made(j, i) = std::conj(a(i, j));
        return made;
    }
};

/// Calls f<T>() for the dtypes of matrices; on the emulated device, for two of them.
template <class F>
void for_matrix_types(const F& f) {
    f.template operator()<float>();
    f.template operator()<std::complex<double>>();
    if (emulated()) return;
    f.template operator()<double>();
    f.template operator()<std::complex<float>>();
}

/// `count` matrices as an array.
template <class T>
array<T, 3> batches(const std::vector<T>& all, std::int64_t count, std::int64_t m, std::int64_t n) {
    return from_host(std::span<const T>(all), {count, m, n});
}

/// The elements of `count` random matrices, normally distributed.
template <class T>
std::vector<T> random_elements(std::int64_t count, std::int64_t rows, std::int64_t columns, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<T> all(static_cast<std::size_t>(count * rows * columns));
    for (T& x : all) {
        if constexpr (is_complex_type<T>) {
            const double re = normal(random), im = normal(random);
            x = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
        } else {
            x = static_cast<T>(normal(random));
        }
    }
    return all;
}

/// The same, Hermitian; positive definite where `definite`.
template <class T>
std::vector<T> hermitian_elements(std::int64_t count, std::int64_t n, bool definite, unsigned seed) {
    std::vector<T> all;
    const std::vector<T> from = random_elements<T>(count, n, n, seed);
    for (std::int64_t b = 0; b < count; ++b) {
        const dense x(from, n, n, b);
        dense made = x * adjoint(x);
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                const auto value = definite ? made(i, j) + (i == j ? 1.0 : 0.0) : x(i, j) + std::conj(x(j, i));
                if constexpr (is_complex_type<T>)
                    all.push_back(static_cast<T>(value));
                else
                    all.push_back(static_cast<T>(value.real()));
            }
    }
    return all;
}

/// The rounding of a dtype's parts.
template <class T>
constexpr double epsilon_of() {
    if constexpr (is_complex_type<T>)
        return std::numeric_limits<typename T::value_type>::epsilon();
    else
        return std::numeric_limits<T>::epsilon();
}

}  // namespace sinter::test
