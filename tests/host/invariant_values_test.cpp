// Loop-invariant values are computed once, and results have the bits that computing them for each element gives.
#include <codegen/host/invariant_values.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::codegen::testing {
namespace {

using blocked::cut_invariant_values;
using bytes = std::vector<std::byte>;

/// Kernels with a value that does not vary along all axes. `hidden`: zeros that do are added to what it is computed
/// from, so that it is computed for each element, with the same bits.
class nests {
public:
    nests(dtype type, bool hidden) : type_(type), hidden_(hidden) {}

    /// sum(exp(s)(all, newaxis) * x, axis=0), or by rows sum(x * exp(s), axis=1).
    loop_nest scaled_sums(std::int64_t outer, std::int64_t inner, bool columns) {
        const int o = b_.outer(outer), l = b_.loop({inner}), i = b_.inner(l);
        const kernel_builder::strides at = {{o, columns ? 1 : inner}, {i, columns ? outer : 1}};
        const int x = b_.load(b_.input(type_), at, l), factor = invariant({{i, 1}}, at, l);
        b_.store(b_.reduce("sum", b_.op("multiply", {x, factor}, l), l), {{o, 1}});
        return b_.k;
    }

    /// x * exp(s)(all, newaxis, all) + exp(s)(newaxis, all): no axis varies in neither. In place.
    loop_nest middle_axis(std::int64_t first, std::int64_t middle, std::int64_t last) {
        const int a = b_.outer(first), m = b_.outer(middle), z = b_.outer(last);
        const kernel_builder::strides at = {{a, middle * last}, {m, last}, {z, 1}};
        const int x = b_.load(b_.input(type_, true), at), one = invariant({{a, last}, {z, 1}}, at, group_level),
                  other = invariant({{m, last}, {z, 1}}, at, group_level);
        b_.store(b_.op("add", {b_.op("multiply", {x, one}), other}), at);
        return b_.k;
    }

    /// x * exp(s) of rows divided by its sum, which an earlier loop finds.
    loop_nest several_loops(std::int64_t outer, std::int64_t inner) {
        const int o = b_.outer(outer), first = b_.loop({inner}), second = b_.loop({inner});
        const int in = b_.input(type_), s = b_.input(type_), zeros = b_.input(type_);
        const auto weighted = [&](int l) {
            const kernel_builder::strides at = {{o, inner}, {b_.inner(l), 1}};
            const int factor = exponential(s, zeros, {{b_.inner(l), 1}}, at, l);
            return b_.op("multiply", {b_.load(in, at, l), factor}, l);
        };
        const int sum = b_.reduce("sum", weighted(first), first);
        b_.store(b_.op("divide", {weighted(second), sum}, second), {{o, inner}, {b_.inner(second), 1}}, second);
        return b_.k;
    }

private:
    int exponential(int s, int zeros, const kernel_builder::strides& along, const kernel_builder::strides& all, int l) {
        const int exponent = b_.load(s, along, l);
        return b_.op("exp", {hidden_ ? b_.op("add", {exponent, b_.load(zeros, all, l)}, l) : exponent}, l);
    }
    int invariant(const kernel_builder::strides& along, const kernel_builder::strides& all, int l) {
        const int s = b_.input(type_);
        return exponential(s, b_.input(type_), along, all, l);
    }

    const dtype type_;
    const bool hidden_;
    kernel_builder b_;
};

/// The result of a kernel of so many elements. Input 0 is x, then each array of exponents is followed by zeros.
bytes result_of(const loop_nest& k, std::int64_t elements, std::int64_t results, bool in_place, compiled_loops when) {
    std::mt19937 random(5);
    std::vector<bytes> inputs;
    for (std::size_t i = 0; i < k.inputs.size(); ++i) {
        inputs.emplace_back(static_cast<std::size_t>(elements) * size_of(k.inputs[i].type));
        for (std::int64_t e = 0; e < elements; ++e) {
            const double x = i > 0 && i % 2 == 0 ? 0 : std::uniform_real_distribution<double>(0.1, 2)(random);
            if (k.inputs[i].type == dtype::float64)
                std::memcpy(inputs[i].data() + e * 8, &x, 8);
            else if (const float narrow = static_cast<float>(x); true)
                std::memcpy(inputs[i].data() + e * 4, &narrow, 4);
        }
    }
    std::vector<const void*> from;
    for (const bytes& in : inputs) from.push_back(in.data());
    bytes result(static_cast<std::size_t>(results) * size_of(k.outputs[0]));
    void* to[] = {in_place ? inputs[0].data() : result.data()};
    evaluate_on_host(*plan_on_host(k, when), from.data(), to, nullptr);
    return in_place ? inputs[0] : result;
}

void check(const loop_nest& cut, const loop_nest& hidden, std::int64_t elements, std::int64_t results, bool in_place) {
    EXPECT_TRUE(cut_invariant_values(cut));
    EXPECT_FALSE(cut_invariant_values(hidden));
    const bytes expected = result_of(hidden, elements, results, in_place, compiled_loops::never);
    for (const compiled_loops when : {compiled_loops::never, compiled_loops::at_once})
        EXPECT_EQ(result_of(cut, elements, results, in_place, when), expected) << elements << " elements";
}

TEST(invariant_values, give_the_same_bits) {
    for (const dtype type : {dtype::float32, dtype::float64}) {
        for (const bool columns : {false, true})
            for (const auto& [outer, inner] : {std::pair<std::int64_t, std::int64_t>{101, 157}, {7, 2003}, {1031, 33}})
                check(nests(type, false).scaled_sums(outer, inner, columns),
                      nests(type, true).scaled_sums(outer, inner, columns), outer * inner, outer, false);
        check(nests(type, false).middle_axis(13, 31, 47), nests(type, true).middle_axis(13, 31, 47), 13 * 31 * 47,
              13 * 31 * 47, true);
        check(nests(type, false).several_loops(61, 307), nests(type, true).several_loops(61, 307), 61 * 307, 61 * 307,
              false);
    }
}

// So that what is computed from them is found equal, and kept for the second loop.
TEST(invariant_values, that_are_equal_share_an_array) {
    const auto cut = cut_invariant_values(nests(dtype::float32, false).several_loops(61, 307));
    ASSERT_TRUE(cut);
    ASSERT_EQ(cut->parts.size(), 1u);
    EXPECT_EQ(cut->parts[0].body.outputs.size(), 1u);
    EXPECT_EQ(cut->parts[0].elements, 307);
    int loads = 0;
    for (const value& v : cut->rest.values) {
        loads += v.what == value_kind::load && v.input == static_cast<int>(cut->rest.inputs.size()) - 1;
        EXPECT_TRUE(v.op == nullptr || v.op->name != std::string_view("exp"));
    }
    EXPECT_EQ(loads, 2);
}

TEST(invariant_values, of_different_axes_have_parts_of_their_own) {
    const auto cut = cut_invariant_values(nests(dtype::float64, false).middle_axis(13, 31, 47));
    ASSERT_TRUE(cut);
    ASSERT_EQ(cut->parts.size(), 2u);
    EXPECT_EQ(cut->parts[0].elements, 13 * 47);
    EXPECT_EQ(cut->parts[1].elements, 31 * 47);
}

TEST(invariant_values, are_left_where_little_is_repeated) {
    EXPECT_FALSE(cut_invariant_values(nests(dtype::float32, false).scaled_sums(3, 10000, true)));
    EXPECT_FALSE(cut_invariant_values(nests(dtype::float32, false).scaled_sums(20, 100, true)));
    EXPECT_TRUE(cut_invariant_values(nests(dtype::float32, false).scaled_sums(4, 10000, true)));
}

// Regions decide masks and indices that depend on shapes alone (regions.cpp): they are not computed for each element.
TEST(invariant_values, are_not_masks_and_indices_that_shapes_decide) {
    for (const bool floats : {false, true}) {
        kernel_builder b;
        const int i = b.outer(500), j = b.outer(400);
        const int x = b.load(b.input(dtype::float32), {{i, 400}, {j, 1}}), index = b.index({{i, 1}});
        const int whole = b.op("multiply", {index, b.constant(std::int64_t{3})});
        if (floats)
            b.store(b.op("multiply", {x, b.op("exp", {b.cast(dtype::float32, whole)})}), {{i, 400}, {j, 1}});
        else
            b.store(b.op("where", {b.op("less", {whole, b.constant(std::int64_t{99})}), x, x}), {{i, 400}, {j, 1}});
        EXPECT_EQ(cut_invariant_values(b.k).has_value(), floats);
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
