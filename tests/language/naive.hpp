// The reference of the language tests: arrays of doubles in row-major order and the simplest loops over them. It uses
// nothing of Sinter except its arrays.
#pragma once

#include <gtest/gtest.h>
#include <sinter.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace sinter::test {

using index = std::vector<std::int64_t>;

inline std::int64_t count(const index& shape) {
    std::int64_t n = 1;
    for (std::int64_t extent : shape) n *= extent;
    return n;
}

/// The position in row-major order.
inline std::int64_t position(const index& shape, const index& at) {
    std::int64_t p = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) p = p * shape[a] + at[a];
    return p;
}

/// Calls f(index) for every index of a shape in row-major order.
template <class F>
void for_each_index(const index& shape, F f) {
    index at(shape.size(), 0);
    for (std::int64_t n = count(shape); n > 0; --n) {
        f(at);
        for (std::size_t a = shape.size(); a-- > 0;) {
            if (++at[a] < shape[a]) break;
            at[a] = 0;
        }
    }
}

struct naive {
    index shape;
    std::vector<double> values;

    naive() = default;
    explicit naive(index s) : shape(std::move(s)), values(static_cast<std::size_t>(count(shape))) {}
    naive(index s, std::vector<double> v) : shape(std::move(s)), values(std::move(v)) {}
    naive(double scalar) : values{scalar} {}

    double& operator[](const index& at) { return values[static_cast<std::size_t>(position(shape, at))]; }
    double operator[](const index& at) const { return values[static_cast<std::size_t>(position(shape, at))]; }

    /// The element that broadcasting to a shape of `at` reads.
    double broadcast(const index& at) const {
        index own(shape.size());
        for (std::size_t a = 0; a < own.size(); ++a) own[a] = shape[a] == 1 ? 0 : at[at.size() - own.size() + a];
        return (*this)[own];
    }
};

inline index broadcast_shapes(const std::vector<const naive*>& operands) {
    index shape;
    for (const naive* o : operands) shape.resize(std::max(shape.size(), o->shape.size()), 1);
    std::fill(shape.begin(), shape.end(), 1);
    for (const naive* o : operands)
        for (std::size_t a = 0; a < o->shape.size(); ++a)
            if (o->shape[a] != 1) shape[shape.size() - o->shape.size() + a] = o->shape[a];
    return shape;
}

/// f applied element for element, with broadcasting.
template <class F, class... Naive>
naive map(F f, const Naive&... operands) {
    naive result(broadcast_shapes({&operands...}));
    for_each_index(result.shape, [&](const index& at) { result[at] = f(operands.broadcast(at)...); });
    return result;
}

/// f folded over the axes of a mask.
inline naive fold(const naive& x, unsigned mask, bool keep, double start,
                  const std::function<double(double, double)>& f) {
    index shape;
    for (std::size_t a = 0; a < x.shape.size(); ++a) {
        if (!(mask >> a & 1))
            shape.push_back(x.shape[a]);
        else if (keep)
            shape.push_back(1);
    }
    naive result(shape);
    std::fill(result.values.begin(), result.values.end(), start);
    for_each_index(x.shape, [&](const index& at) {
        index to;
        for (std::size_t a = 0; a < at.size(); ++a) {
            if (!(mask >> a & 1))
                to.push_back(at[a]);
            else if (keep)
                to.push_back(0);
        }
        result[to] = f(result[to], x[at]);
    });
    return result;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

inline double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? nan_value : a > b ? a : b; }
inline double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? nan_value : a < b ? a : b; }

inline naive sum_of(const naive& x, unsigned mask, bool keep = false) { return fold(x, mask, keep, 0, std::plus<>()); }
inline naive prod_of(const naive& x, unsigned mask, bool keep = false) {
    return fold(x, mask, keep, 1, std::multiplies<>());
}
inline naive max_of(const naive& x, unsigned mask, bool keep = false) { return fold(x, mask, keep, -infinity, larger); }
inline naive min_of(const naive& x, unsigned mask, bool keep = false) { return fold(x, mask, keep, infinity, smaller); }
inline naive mean_of(const naive& x, unsigned mask, bool keep = false) {
    double n = 1;
    for (std::size_t a = 0; a < x.shape.size(); ++a)
        if (mask >> a & 1) n *= static_cast<double>(x.shape[a]);
    return map([n](double s) { return s / n; }, sum_of(x, mask, keep));
}

inline naive permuted(const naive& x, const std::vector<int>& axes) {
    index shape;
    for (int a : axes) shape.push_back(x.shape[static_cast<std::size_t>(a)]);
    naive result(shape);
    for_each_index(result.shape, [&](const index& at) {
        index from(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) from[static_cast<std::size_t>(axes[i])] = at[i];
        result[at] = x[from];
    });
    return result;
}

inline naive transposed(const naive& x) {
    std::vector<int> axes;
    for (int a = static_cast<int>(x.shape.size()); a-- > 0;) axes.push_back(a);
    return permuted(x, axes);
}

/// Values that float32 holds exactly.
inline naive random(const index& shape, unsigned seed, double low = -2, double high = 2) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> draw(static_cast<float>(low), static_cast<float>(high));
    naive x(shape);
    for (double& v : x.values) v = draw(engine);
    return x;
}

/// Whole numbers, low and high among them.
inline naive random_integers(const index& shape, unsigned seed, int low, int high) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> draw(low, high);
    naive x(shape);
    for (double& v : x.values) v = draw(engine);
    return x;
}

template <class T, int Rank>
array<T, Rank> to_array(const naive& x) {
    EXPECT_EQ(x.shape.size(), static_cast<std::size_t>(Rank));
    shape<Rank> extents;
    for (int a = 0; a < Rank; ++a) extents[a] = x.shape[static_cast<std::size_t>(a)];
    const std::unique_ptr<T[]> host(new T[x.values.size()]);
    for (std::size_t i = 0; i < x.values.size(); ++i) host[i] = static_cast<T>(x.values[i]);
    return from_host(std::span<const T>(host.get(), x.values.size()), extents);
}

/// The elements of a float64 array.
inline naive to_naive(const auto& values) {
    const auto s = values.shape();
    return {index(s.begin(), s.end()), to_host(values)};
}

/// Relative to the larger of 1 and the expected value.
template <class T>
constexpr double tolerance = std::is_same_v<T, float>    ? 1e-5
                             : std::is_same_v<T, double> ? 1e-12
                                                         : 0;

/// The elements of an array, against the reference. Says where the first difference is, and how many there are.
template <class T, int Rank>
void expect_equal(const array<T, Rank>& actual, const naive& expected, double allowed = tolerance<T>) {
    const shape<Rank> extents = actual.shape();
    ASSERT_EQ(index(extents.begin(), extents.end()), expected.shape);
    const auto values = to_host(actual);
    ASSERT_EQ(values.size(), expected.values.size());
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double is = static_cast<double>(values[i]), should = expected.values[i];
        const bool same = std::isnan(should)   ? std::isnan(is)
                          : std::isinf(should) ? is == should
                                               : std::abs(is - should) <= allowed * std::max(1.0, std::abs(should));
        if (!same && wrong++ == 0) first = i;
    }
    if (wrong == 0) return;
    ADD_FAILURE() << wrong << " of " << values.size() << " elements of shape " << testing::PrintToString(expected.shape)
                  << " differ, first element " << first << ": " << static_cast<double>(values[first]) << ", not "
                  << expected.values[first];
}

/// An expression's values, written over poison, against the reference.
template <class Tree>
void expect_equal(const expr<Tree>& actual, const naive& expected, double allowed = tolerance<element_t<Tree::type>>) {
    using T = element_t<Tree::type>;
    const auto poison = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(77);
    array<T, Tree::rank> result = broadcast_to(poison, actual.shape());
    result = actual;
    expect_equal(result, expected, allowed);
}

}  // namespace sinter::test
