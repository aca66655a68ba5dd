// Values at the limits of the dtypes, as C++ scalars of every type and as elements of every dtype, for tests that mix
// the two. A long double represents every value exactly.
#pragma once

#include <sinter.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

static_assert(std::numeric_limits<long double>::digits >= 64, "the tests' reference holds every integer of 64 bits");

namespace sinter::test {

template <class... T>
struct type_list {};
using real_element_types =
    type_list<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
              std::uint64_t, float8_e4m3, float8_e5m2, float16, bfloat16, float, double>;

template <class... T, class F>
void for_each_type(type_list<T...>, F f) {
    (f(T()), ...);
}

template <class T>
inline constexpr bool is_floating_element = is_floating(dtype_of<T>);

/// The value of a number of any real type.
template <class T>
long double exact_value(T x) {
    if constexpr (is_storage_only(dtype_of<T>))
        return static_cast<float>(x);
    else
        return static_cast<long double>(x);
}

/// Whether a type has a number of the value.
template <class T>
bool has_number(long double v) {
    using limits = std::numeric_limits<T>;
    if constexpr (is_floating_element<T>)
        return std::isnan(v) || exact_value(static_cast<T>(static_cast<double>(v))) == v;
    else
        return v >= static_cast<long double>(limits::min()) && v <= static_cast<long double>(limits::max()) &&
               std::trunc(v) == v;
}
template <class T>
T number(long double v) {
    if constexpr (is_storage_only(dtype_of<T>))
        return T(static_cast<double>(v));
    else
        return static_cast<T>(v);
}

/// Values at and beside the edges of all dtypes.
inline const std::vector<long double>& edge_values() {
    static const std::vector<long double> all = [] {
        std::vector<long double> made = {0, 0.5L, 2.5L, 99, 300, 0.1F, 0.1, 1e39L, 65504, 65520, 1e300L};
        for (const int bits : {7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64})
            for (const long double by : {-1.5L, -1.0L, -0.5L, 0.0L, 0.5L, 1.0L, 2.0L})
                made.push_back(std::ldexp(1.0L, bits) + by);
        made.push_back(static_cast<long double>(std::numeric_limits<float>::max()));
        made.push_back(std::numeric_limits<long double>::infinity());
        for (std::size_t i = made.size(); i-- > 0;) made.push_back(-made[i]);
        made.push_back(std::numeric_limits<long double>::quiet_NaN());
        return made;
    }();
    return all;
}

/// Those of them that a type has.
template <class T>
std::vector<T> edges() {
    std::vector<T> all;
    for (const long double v : edge_values())
        if (has_number<T>(v)) all.push_back(number<T>(v));
    return all;
}

template <class T>
array<T, 1> edge_array() {
    const std::vector<T> all = edges<T>();
    if constexpr (std::is_same_v<T, bool>)
        return {false, true};
    else
        return from_host(std::span(all), {all.size()});
}

}  // namespace sinter::test
