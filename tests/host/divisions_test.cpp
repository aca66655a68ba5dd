// Divisions by one number: quotients and remainders of the rows' own loops, at the ends of the dtypes and at random.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <codegen/rows/divisions.hpp>
#include <runtime/host/instruction_set.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sinter::codegen::testing {
namespace {

template <class T>
std::vector<T> numbers(unsigned seed) {
    using limits = std::numeric_limits<T>;
    std::mt19937_64 random(seed);
    std::vector<T> all;
    for (const T around : {T(0), limits::min(), limits::max(), static_cast<T>(limits::max() / 2 + 1)})
        for (int i = -3; i <= 3; ++i)
            all.push_back(static_cast<T>(static_cast<std::uint64_t>(around) + static_cast<std::uint64_t>(i)));
    for (int bits = 1; bits < limits::digits; ++bits)
        for (int i = 0; i < 6; ++i) {
            const auto power = static_cast<T>(T(1) << bits);
            all.push_back(i < 3 ? static_cast<T>(power + i - 1)
                                : static_cast<T>(random() % static_cast<std::uint64_t>(power)));
            all.push_back(static_cast<T>(-all.back()));
        }
    return all;
}

template <class T>
void check(const char* op) {
    SCOPED_TRACE(::testing::Message() << op << " of " << name(dtype_of<T>));
    const op_row& row = row_of(op);
    const detail::map_loop expected = loops_of(row, dtype_of<T>).map;
    const std::vector<T> x = numbers<T>(1);
    std::vector<T> y(x.size()), z(x.size());
    for (const T d : numbers<T>(2)) {
        const std::vector<T> divisors(x.size(), d);
        const void* in[] = {x.data(), divisors.data(), nullptr};
        expected(z.data(), in, x.size());
        for (const instruction_set isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4}) {
            if (!is_available(isa)) continue;
            const detail::map_loop divide = division_by_one_number(row, dtype_of<T>, isa);
            ASSERT_NE(divide, nullptr);
            divide(y.data(), in, x.size());
            ASSERT_EQ(y, z) << "divided by " << +d;
        }
    }
}

TEST(divisions, give_what_the_rows_loops_give) {
    for (const char* const op : {"floor_divide", "remainder"}) {
        check<std::int8_t>(op);
        check<std::uint8_t>(op);
        check<std::int16_t>(op);
        check<std::uint16_t>(op);
        check<std::int32_t>(op);
        check<std::int64_t>(op);
    }
}

TEST(divisions, are_of_integers_whose_products_fit_a_word) {
    EXPECT_EQ(division_by_one_number(row_of("remainder"), dtype::float64, instruction_set::baseline), nullptr);
    EXPECT_EQ(division_by_one_number(row_of("remainder"), dtype::uint64, instruction_set::baseline), nullptr);
    EXPECT_EQ(division_by_one_number(row_of("multiply"), dtype::int64, instruction_set::baseline), nullptr);
}

// A loop compiled at run time would divide each element by an instruction.
TEST(divisions, are_not_part_of_fused_loops) {
    for (const bool one_number : {true, false}) {
        kernel_builder b;
        const int o = b.outer(1000);
        const int x = b.load(b.input(dtype::int32), {{o, 1}}), y = b.load(b.input(dtype::int32), {{o, 1}});
        const int product = b.op("multiply", {b.op("add", {x, y}), y});
        b.store(b.op("floor_divide", {product, one_number ? b.scalar(dtype::int32) : y}), {{o, 1}});
        const auto fused = blocked::make_fused_plan(b.k, host_instruction_set());
        ASSERT_TRUE(fused);
        EXPECT_EQ(fused->source.find("floor_divide") == std::string::npos, one_number);
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
