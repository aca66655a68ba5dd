// Pieces of what is computed of an index: the same by formulas as element by element, in a time that does not depend on
// the extent of the axis.
#include <codegen/transforms/index_rows.hpp>
#include <host/index_builder.hpp>
#include <sinter/gather.hpp>
#include <sinter/sliding_window.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sinter::codegen::testing {
namespace {

using blocked::piece;

std::vector<piece> pieces_of(const index_builder& b, int id, const std::vector<std::int64_t>& cuts = {},
                             std::size_t most = 64) {
    return blocked::pieces_along(b.k, id, 0, cuts, most, instruction_set::baseline);
}

/// The value of a decided value at one index, by its ops' own loops.
std::int64_t value_at(const loop_nest& k, int id, std::int64_t index) {
    const value& v = k.values[static_cast<std::size_t>(id)];
    if (v.what == value_kind::index) return index * k.layouts[static_cast<std::size_t>(v.at)].stride[0];
    if (v.what == value_kind::constant) return blocked::fixed_value(k, v);
    std::array<std::uint64_t, ir::max_operands> bits{};
    const void* in[ir::max_operands] = {};
    for (std::size_t o = 0; o < bits.size() && v.in[o] >= 0; ++o) {
        bits[o] = blocked::to_bits(k.values[static_cast<std::size_t>(v.in[o])].type, value_at(k, v.in[o], index));
        in[o] = &bits[o];
    }
    std::uint64_t result = 0;
    blocked::apply(k, v, in, &result, 1, instruction_set::baseline);
    return blocked::to_integer(v.type, &result);
}

/// By piece: the index that it begins at, its base and its step.
using begins = std::vector<std::array<std::int64_t, 3>>;

begins begins_of(const std::vector<piece>& pieces) {
    begins all;
    for (const piece& p : pieces) all.push_back({p.begin, p.base, p.step});
    return all;
}

/// Evaluating every element of these axes would take hours.
TEST(index_pieces, of_axes_of_any_extent) {
    constexpr std::int64_t part = std::int64_t{1} << 40, extent = 3 * part;
    index_builder b;
    const int i = b.index({{b.outer(extent), 1}});
    const auto number = [&](std::int64_t n) { return b.constant(n); };

    const int mask = b.op("less", {i, number(part)});
    EXPECT_EQ(begins_of(pieces_of(b, mask)), (begins{{0, 1, 0}, {part, 0, 0}}));
    const int second = b.of_row(sinter::detail::index_of_part_row::row, {i, number(part), number(part)});
    EXPECT_EQ(begins_of(pieces_of(b, second)), (begins{{0, 0, 0}, {part + 1, 1, 1}, {2 * part, part - 1, 0}}));
    const int rolled = b.of_row(sinter::detail::index_rolled_row::row, {i, number(5), number(extent)});
    EXPECT_EQ(begins_of(pieces_of(b, rolled)), (begins{{0, extent - 5, 1}, {5, 0, 1}}));
    const int tiled = b.of_row(index_remainder, {i, number(part)});
    EXPECT_EQ(begins_of(pieces_of(b, tiled)), (begins{{0, 0, 1}, {part, 0, 1}, {2 * part, 0, 1}}));
    const int repeated = b.of_row(index_quotient, {i, number(part)});
    EXPECT_EQ(begins_of(pieces_of(b, repeated)), (begins{{0, 0, 0}, {part, 1, 0}, {2 * part, 2, 0}}));
    const int inside =
        b.op("logical_and", {b.op("greater_equal", {i, number(7)}), b.op("less", {i, number(extent - 7)})});
    EXPECT_EQ(begins_of(pieces_of(b, inside, {part})),
              (begins{{0, 0, 0}, {7, 1, 0}, {part, 1, 0}, {extent - 7, 0, 0}}));
    const int wrapped = b.op("remainder", {b.op("subtract", {i, number(10)}), number(part)});
    EXPECT_EQ(begins_of(pieces_of(b, wrapped)),
              (begins{{0, part - 10, 1}, {10, 0, 1}, {part + 10, 0, 1}, {2 * part + 10, 0, 1}}));
    EXPECT_TRUE(pieces_of(b, b.of_row(index_quotient, {i, number(3)})).empty());  // a pattern
    for (const char* op : {"bitwise_and", "remainder"})  // without a rule, or in sections of a few elements
        EXPECT_TRUE(pieces_of(b, b.op("less", {b.op(op, {i, number(7)}), number(8)})).empty());
}

/// Builds random values of an index, by ops that have a rule and by some that have none.
class random_values {
public:
    random_values(index_builder& b, std::mt19937& random, std::int64_t extent) : b_(b), random_(random) {
        const int axis = b.outer(extent);
        integers_ = {b.index({{axis, 1}}), b.index({{axis, 3}}), b.op("negative", {b.index({{axis, 1}})})};
        for (const std::int64_t n : {-2500, -1, 0, 1, 2, 7, 1023, 1024, 1500, 2999, 3000})
            integers_.push_back(b.constant(n));
        masks_ = {b.constant(true)};
    }

    void add() {
        static const std::vector<std::string> binary = {"add",       "subtract",     "maximum",     "minimum",
                                                        "remainder", "floor_divide", "bitwise_and", "multiply"};
        static const std::vector<std::string> comparisons = {"less",          "less_equal", "greater",
                                                             "greater_equal", "equal",      "not_equal"};
        static const std::vector<std::string> logic = {"logical_and", "logical_or", "logical_xor", "bitwise_xor"};
        static const std::vector<const op_row*> rows = {&index_clamped,
                                                        &sinter::detail::index_of_part_row::row,
                                                        &sinter::detail::index_rolled_row::row,
                                                        &sinter::detail::index_within_row::row,
                                                        &sinter::detail::index_in_window_row::row,
                                                        &index_plus};
        switch (random_() % 8) {
            case 0:
            case 1: return keep(b_.op(one_of(binary), {integer(), integer()}));
            case 2: return keep(b_.op(one_of(comparisons), {integer(), integer()}));
            case 3: return keep(b_.op(one_of(logic), {mask(), mask()}));
            case 4: return keep(b_.op("where", {mask(), integer(), integer()}));
            case 5: return keep(b_.op("clip", {integer(), integer(), integer()}));
            case 6: return keep(b_.cast(random_() % 2 ? dtype::bool_ : dtype::int64, any()));
            default:
                const op_row* row = one_of(rows);
                std::vector<int> in = {integer(), integer(), integer()};
                in.resize(row->arity);
                return keep(b_.of_row(*row, in));
        }
    }

    const std::vector<int>& made() const { return made_; }

private:
    template <class T>
    const T& one_of(const std::vector<T>& list) {
        return list[random_() % list.size()];
    }
    int integer() { return one_of(integers_); }
    int mask() { return one_of(masks_); }
    int any() { return random_() % 2 ? integer() : mask(); }

    void keep(int id) {
        const value& v = b_.k.values[static_cast<std::size_t>(id)];
        (v.type == dtype::bool_ ? masks_ : integers_).push_back(id);
        if (v.varies != 0) made_.push_back(id);
    }

    index_builder& b_;
    std::mt19937& random_;
    std::vector<int> integers_, masks_, made_;
};

TEST(index_pieces, of_random_values) {
    constexpr std::int64_t extent = 3000;
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        index_builder b;
        random_values values(b, random, extent);
        for (int n = 0; n < 6; ++n) values.add();
        const std::vector<std::int64_t> cuts =
            round % 2 ? std::vector<std::int64_t>{1, 1500, 2998} : std::vector<std::int64_t>{};
        for (const int id : values.made()) {
            std::vector<std::int64_t> expected;
            for (std::int64_t n = 0; n < extent; ++n) expected.push_back(value_at(b.k, id, n));
            const std::vector<piece> found = pieces_of(b, id, cuts, static_cast<std::size_t>(extent));
            ASSERT_EQ(values_of(found, extent), expected) << "round " << round << ", value " << id;
            for (const std::int64_t cut : cuts)
                ASSERT_TRUE(std::ranges::any_of(found, [cut](const piece& p) { return p.begin == cut; })) << cut;
        }
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
