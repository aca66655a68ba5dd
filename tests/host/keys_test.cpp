// The order of keys: of elements of every dtype, of NaN, of equal elements at different indices.
#include "reference.hpp"

#include <codegen/rows/dispatch.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <sinter/number/keyed_index.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace sinter::codegen::testing {
namespace {

using key = detail::number::keyed_index;

constexpr instruction_set all_sets[] = {instruction_set::baseline, instruction_set::v3, instruction_set::v4};

/// The index of the first of the last elements that are equal, NaN among themselves.
template <class T>
std::size_t first_of_last(const std::vector<T>& x, std::size_t n) {
    const auto alike = [](T a, T b) { return a == b || (a != a && b != b); };
    std::size_t first = n - 1;
    while (first > 0 && alike(x[first - 1], x[n - 1])) --first;
    return first;
}

template <class T>
void expect_wide_keys_in_order(dtype t, const char* row, const std::vector<T>& x, instruction_set isa) {
    std::vector<std::int64_t> index(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) index[i] = static_cast<std::int64_t>(i) << 33;
    std::vector<key> keys(x.size());
    const void* const in[] = {x.data(), index.data()};
    loops_of(row_of(row), t, isa).map(keys.data(), in, x.size());
    for (std::size_t n = 1; n <= x.size(); ++n) {
        key largest{};
        loops_of(row_of("largest_key"), dtype::keyed_index, isa).fold(&largest, keys.data(), 1, n);
        std::int64_t found = 0;
        const void* const folded[] = {&largest};
        loops_of(row_of("index_of_key"), dtype::keyed_index, isa).map(&found, folded, 1);
        EXPECT_EQ(found, index[first_of_last(x, n)]) << row << " " << name(t) << " " << n;
    }
}

template <class T>
void expect_packed_keys_in_order(dtype t, const op_row& row, const std::vector<T>& x, instruction_set isa) {
    std::vector<std::int32_t> index(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        index[i] = std::numeric_limits<std::int32_t>::max() - static_cast<std::int32_t>(x.size() - i);
    std::vector<std::uint64_t> keys(x.size());
    const void* const in[] = {x.data(), index.data()};
    loops_of(row, t, isa).map(keys.data(), in, x.size());
    for (std::size_t n = 1; n <= x.size(); ++n) {
        std::uint64_t largest = 0;
        loops_of(row_of("max"), dtype::uint64, isa).fold(&largest, keys.data(), 1, n);
        std::int64_t found = 0;
        const void* const folded[] = {&largest};
        loops_of(row_of("index_of_key"), dtype::uint64, isa).map(&found, folded, 1);
        EXPECT_EQ(found, index[first_of_last(x, n)]) << row.name << " " << name(t) << " " << n;
    }
}

template <class T>
void expect_keys_in_order(dtype t, const std::vector<T>& ascending, std::vector<T> descending) {
    for (const instruction_set isa : all_sets) {
        if (!is_available(isa)) continue;
        expect_wide_keys_in_order(t, "keyed", ascending, isa);
        expect_wide_keys_in_order(t, "keyed_reversed", descending, isa);
        if (sizeof(T) > 4) continue;
        expect_packed_keys_in_order(t, packed_key, ascending, isa);
        expect_packed_keys_in_order(t, packed_key_reversed, descending, isa);
    }
}

template <class T>
void expect_floats_in_order(dtype t) {
    using limits = std::numeric_limits<T>;
    std::vector<T> ascending = {-limits::infinity(),
                                limits::lowest(),
                                T(-1),
                                -limits::denorm_min(),
                                T(-0.0),
                                T(0),
                                T(-0.0),
                                limits::denorm_min(),
                                T(1),
                                T(1),
                                limits::max(),
                                limits::infinity()};
    std::vector<T> descending(ascending.rbegin(), ascending.rend());
    for (std::vector<T>* x : {&ascending, &descending})
        x->insert(x->end(), {limits::quiet_NaN(), -limits::quiet_NaN(), limits::quiet_NaN()});
    expect_keys_in_order(t, ascending, descending);
}

template <class T>
void expect_integers_in_order(dtype t) {
    using limits = std::numeric_limits<T>;
    std::vector<T> ascending = {limits::lowest(), T(limits::lowest() + 1), T(7), T(7), T(limits::max() - 1),
                                limits::max()};
    if (std::is_signed_v<T>) ascending.insert(ascending.begin() + 2, {T(-1), T(0)});
    expect_keys_in_order(t, ascending, {ascending.rbegin(), ascending.rend()});
}

TEST(keys, are_in_the_order_of_floats) {
    expect_floats_in_order<float>(dtype::float32);
    expect_floats_in_order<double>(dtype::float64);
}

TEST(keys, are_in_the_order_of_integers) {
    expect_integers_in_order<std::int8_t>(dtype::int8);
    expect_integers_in_order<std::int16_t>(dtype::int16);
    expect_integers_in_order<std::int32_t>(dtype::int32);
    expect_integers_in_order<std::int64_t>(dtype::int64);
    expect_integers_in_order<std::uint8_t>(dtype::uint8);
    expect_integers_in_order<std::uint16_t>(dtype::uint16);
    expect_integers_in_order<std::uint32_t>(dtype::uint32);
    expect_integers_in_order<std::uint64_t>(dtype::uint64);
}

}  // namespace
}  // namespace sinter::codegen::testing
