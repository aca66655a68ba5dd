// Sums of bools and short integers, which are widened while they are added: against plain loops, along rows and
// columns, with more elements than partial sums of 32 bits hold, at the ends of the dtypes.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <codegen/rows/widened_sums.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace sinter::codegen::testing {
namespace {

/// Elements near the ends of the dtype, most of them at the upper one.
template <class T>
std::vector<unsigned char> near_ends(std::int64_t n) {
    std::mt19937 random(7);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(n) * sizeof(T));
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        const bool low = random() % 8 == 0;
        const T x = static_cast<T>(low ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());
        std::memcpy(bytes.data() + at, &x, sizeof x);
    }
    return bytes;
}

template <class T>
std::int64_t element(const std::vector<unsigned char>& bytes, std::int64_t i) {
    T x;
    std::memcpy(&x, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof x);
    return static_cast<std::int64_t>(x);
}

template <class T>
void check(std::int64_t groups, std::int64_t length, bool columns) {
    SCOPED_TRACE(::testing::Message() << groups << (columns ? " columns of " : " rows of ") << length << " "
                                      << name(dtype_of<T>));
    kernel_builder b;
    const int o = b.outer(groups), l = b.loop({length}), i = b.inner(l);
    const std::int64_t of_group = columns ? 1 : length, of_element = columns ? groups : 1;
    const int x = b.load(b.input(dtype_of<T>), {{o, of_group}, {i, of_element}}, l);
    const int sum = b.reduce("sum", x, l);
    b.k.values[static_cast<std::size_t>(sum)].type = dtype::int64;
    b.store(sum, {{o, 1}});
    EXPECT_EQ(blocked::make_plan(b.k, instruction_set::baseline).loops[0].body.steps.size(), 1u) << "it is converted";
    const auto bytes = near_ends<T>(groups * length);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(groups), 77);
    const void* in[] = {bytes.data()};
    void* out[] = {sums.data()};
    evaluate_on_host(b.k, in, out, nullptr);
    for (std::int64_t g = 0; g < groups; ++g) {
        std::int64_t expected = 0;
        for (std::int64_t k = 0; k < length; ++k) expected += element<T>(bytes, g * of_group + k * of_element);
        ASSERT_EQ(sums[static_cast<std::size_t>(g)], expected) << g;
    }
}

template <class T>
void check_all() {
    check<T>(3, 200003, false);
    check<T>(70, 33, false);
    check<T>(131, 519, true);
    check<T>(7, 3001, true);
    check<T>(1, 1, false);
}

TEST(widened_sums, equal_sums_of_converted_elements) {
    check_all<bool>();
    check_all<std::uint8_t>();
    check_all<std::int8_t>();
    check_all<std::uint16_t>();
    check_all<std::int16_t>();
    check_all<std::uint32_t>();
    check_all<std::int32_t>();
}

TEST(widened_sums, are_of_sums_alone) {
    const auto isa = instruction_set::baseline;
    EXPECT_EQ(widened_sum_of(row_of("prod"), dtype::int64, dtype::int8, isa), nullptr);
    EXPECT_EQ(widened_sum_of(row_of("sum"), dtype::float32, dtype::int8, isa), nullptr);
    EXPECT_EQ(widened_sum_of(row_of("sum"), dtype::int64, dtype::int64, isa), nullptr);
    EXPECT_EQ(widened_sum_of(row_of("sum"), dtype::int64, dtype::float32, isa), nullptr);
    EXPECT_NE(widened_sum_of(narrow_sum(row_of("sum")), dtype::int32, dtype::bool_, isa), nullptr);
}

/// In 32 bits, of every instruction set: a sum that narrow_index_types has narrowed.
TEST(widened_sums, wrap_around_in_32_bits) {
    const std::vector<std::int32_t> x(1000, std::numeric_limits<std::int32_t>::max());
    for (const instruction_set isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4}) {
        if (!is_available(isa)) continue;
        std::int32_t sum = 5;
        widened_sum_of(narrow_sum(row_of("sum")), dtype::int32, dtype::int32, isa)(&sum, x.data(), 1, x.size());
        EXPECT_EQ(sum, 5 - 1000);  // 1000 * (2^31 - 1) is -1000 modulo 2^32
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
