// Each pass on graphs small enough to read: the text before and after it, the kernels that come out, and what the
// verifier refuses.
#include <codegen/driver/pipeline.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter.hpp>

#include <gmock/gmock.h>

#include <array>
#include <utility>

namespace sinter::codegen {
namespace {

class passes : public testing::Test {
protected:
    device_scope on_host_{host()};
    array<double, 2> x_ = {{1, 2, 3}, {4, 5, 6}};
    array<double, 2> y_ = {{1, 2, 3}, {4, 5, 6}};
};

template <class Tree>
graph bound(const expr<Tree>& e) {
    return bind(sinter::detail::program_of<Tree>, e.arguments());
}

TEST_F(passes, bind_gives_every_node_its_extents) {
    EXPECT_EQ(print(bound(sum(x_ * 2, axis=1, keepdims))),
              "%0 = x0 : float64 (2, 3)\n"
              "%1 = s0 : float64 ()\n"
              "%2 = multiply %0 %1 : float64 (2, 3)\n"
              "%3 = sum axis=1 keepdims %2 : float64 (2, 1)\n");
    EXPECT_EQ(print(bound(transpose(x_) > 0)),
              "%0 = x0 : float64 (2, 3)\n"
              "%1 = view %0 : float64 (3, 2)\n"
              "%2 = s0 : float64 ()\n"
              "%3 = greater %1 %2 : bool (3, 2)\n");
}

TEST_F(passes, loops_and_collapse_as_text) {
    std::string trace;
    const auto e = sqrt(sum(x_ * x_, axis=1));
    make_kernels(sinter::detail::program_of<decltype(e)::tree_type>, e.arguments(), &trace);
    EXPECT_THAT(trace, testing::EndsWith("after coalesce-axes:\n"
                                         "outer a0 = 2\n"
                                         "loop 0 over a1 = 3\n"
                                         "  %0 = x0 [3 1]\n"
                                         "  %1 = multiply %0 %0 : float64\n"
                                         "%2 = sum %1 over loop 0 : float64\n"
                                         "%3 = sqrt %2 : float64\n"
                                         "out0 [1 0] = %3\n"));
}

TEST_F(passes, a_broken_kernel_is_refused) {
    const auto e = sqrt(sum(x_ * x_, axis=1));
    loop_nest k = make_kernels(sinter::detail::program_of<decltype(e)::tree_type>, e.arguments())[0];
    k.stores[0].value = 1;  // the product, outside its loop
    EXPECT_THROW(verify(k, "a test"), error);
    k.stores[0].value = 3;
    verify(k, "a test");
    k.values[3].stage = 0;  // the root, before the sum is there
    EXPECT_THROW(verify(k, "a test"), error);
}

TEST_F(passes, unify_inputs_finds_arrays_that_share_storage) {
    const auto copy = x_;
    graph g = bound(x_ * copy + y_);
    unify_inputs(g);
    EXPECT_EQ(print(g),
              "%0 = x0 : float64 (2, 3)\n"
              "%1 = x0 : float64 (2, 3)\n"
              "%2 = multiply %0 %1 : float64 (2, 3)\n"
              "%3 = x2 : float64 (2, 3)\n"
              "%4 = add %2 %3 : float64 (2, 3)\n");
    std::vector<double> square(4);  // read by rows and by columns
    graph transposed = bound(wrap(square.data(), {2, 2}) - wrap(square.data(), {2, 2}, {1, 2}));
    unify_inputs(transposed);
    EXPECT_EQ(print(transposed),
              "%0 = x0 : float64 (2, 2)\n"
              "%1 = x1 : float64 (2, 2)\n"
              "%2 = subtract %0 %1 : float64 (2, 2)\n");
}

TEST_F(passes, bind_finds_scalars_that_are_copies_of_one) {
    const auto d = 2.0 * x_;  // 2.0 is written twice more: once by d's second mention, once as an equal number
    EXPECT_EQ(print(bound(d - d * 2.0)),
              "%0 = s0 : float64 ()\n"
              "%1 = x0 : float64 (2, 3)\n"
              "%2 = multiply %0 %1 : float64 (2, 3)\n"
              "%3 = s0 : float64 ()\n"
              "%4 = x1 : float64 (2, 3)\n"
              "%5 = multiply %3 %4 : float64 (2, 3)\n"
              "%6 = s2 : float64 ()\n"
              "%7 = multiply %5 %6 : float64 (2, 3)\n"
              "%8 = subtract %2 %7 : float64 (2, 3)\n");
}

TEST_F(passes, cse_and_dce_compute_things_once) {
    graph g = bound(exp(x_) * exp(x_) + sum(x_) * sum(x_));
    unify_inputs(g);
    cse(g);
    EXPECT_EQ(g.nodes.size(), 11u);  // the repeated nodes are still there, unread
    eliminate_dead_code(g);
    EXPECT_EQ(print(g),
              "%0 = x0 : float64 (2, 3)\n"
              "%1 = exp %0 : float64 (2, 3)\n"
              "%2 = multiply %1 %1 : float64 (2, 3)\n"
              "%3 = sum axis={0, 1} %0 : float64 ()\n"
              "%4 = multiply %3 %3 : float64 ()\n"
              "%5 = add %2 %4 : float64 (2, 3)\n");
}

TEST_F(passes, cse_tells_apart_what_differs) {
    for (const graph& before : {bound(exp(x_) * exp2(x_)), bound(sum(x_, axis=0) + sum(x_, axis=1, keepdims)),
                                bound(sum(x_, axis=0) + sum(x_, axis=0, keepdims)), bound((x_ + 1) * (x_ + 2)),
                                bound((x_ - y_) * (y_ - x_)), bound(broadcast_to(x_, {2, 2, 3}) + x_)}) {
        graph g = before;
        unify_inputs(g);
        const std::string text = print(g);
        graph merged = g;
        cse(merged);
        eliminate_dead_code(merged);
        std::size_t leaves = 0, distinct = 0;
        for (const graph_node& n : g.nodes) leaves += n.what == ir::kind::leaf;
        for (const graph_node& n : merged.nodes) distinct += n.what == ir::kind::leaf;
        EXPECT_EQ(merged.nodes.size() - distinct, g.nodes.size() - leaves) << text;
    }
}

TEST_F(passes, simplify_composes_views) {
    graph twice = bound(transpose(transpose(x_)));
    simplify(twice);
    eliminate_dead_code(twice);
    EXPECT_EQ(print(twice), "%0 = x0 : float64 (2, 3)\n");

    const array<float, 3> z(shape<3>(2, 3, 4));
    graph g = bound(permute(permute(z, {1, 2, 0}), {0, 2, 1}));
    simplify(g);
    eliminate_dead_code(g);
    ASSERT_EQ(print(g), "%0 = x0 : float32 (2, 3, 4)\n%1 = view %0 : float32 (3, 2, 4)\n");
    EXPECT_EQ(g.nodes[1].map[0], (mapped_axis{1, 0, 1}));
    EXPECT_EQ(g.nodes[1].map[1], (mapped_axis{0, 0, 1}));
    EXPECT_EQ(g.nodes[1].map[2], (mapped_axis{2, 0, 1}));

    graph repeated = bound(broadcast_to(transpose(broadcast_to(sum(x_, axis=0, keepdims), {4, 3})), {5, 3, 4}));
    simplify(repeated);
    eliminate_dead_code(repeated);
    EXPECT_EQ(print(repeated),
              "%0 = x0 : float64 (2, 3)\n"
              "%1 = sum axis=0 keepdims %0 : float64 (1, 3)\n"
              "%2 = view %1 : float64 (5, 3, 4)\n");
}

TEST_F(passes, copies_of_a_view_share_its_map_until_one_changes) {
    graph_node view, unset;
    view.map[0] = {1, 0, 1};
    graph_node copy = view;
    EXPECT_EQ(&std::as_const(copy).map[0], &std::as_const(view).map[0]);
    copy.map[0].step = 2;
    EXPECT_EQ(view.map[0], (mapped_axis{1, 0, 1}));
    EXPECT_EQ(copy.map[0], (mapped_axis{1, 0, 2}));
    EXPECT_NE(copy, view);
    copy.map = {};
    EXPECT_EQ(copy, unset);
    unset.map[0] = {};  // of its own, and yet as if it were not set
    EXPECT_EQ(copy, unset);
    EXPECT_LT(sizeof(graph_node), sizeof(std::array<mapped_axis, ir::max_rank>));  // searches copy thousands
}

TEST_F(passes, simplify_drops_views_and_casts_that_do_nothing) {
    graph g = bound(permute(x_, {0, 1}) + broadcast_to(y_, {2, 3}));
    simplify(g);
    eliminate_dead_code(g);
    EXPECT_EQ(print(g),
              "%0 = x0 : float64 (2, 3)\n"
              "%1 = x1 : float64 (2, 3)\n"
              "%2 = add %0 %1 : float64 (2, 3)\n");
    graph cast = bound(astype<float>(x_));
    cast.nodes[1].type = dtype::float64;
    simplify(cast);
    EXPECT_EQ(cast.roots[0].node, 0);
    graph kept = bound(astype<float>(x_));
    simplify(kept);
    EXPECT_EQ(kept.roots[0].node, 1);
}

// What is computed of halves is float32 until something rounds it, as a cast does: a product's operand is rounded so.
TEST_F(passes, simplify_keeps_casts_that_round) {
    const array<float16, 2> h({2, 3});
    const auto casts_in = [](graph g) {
        simplify(g);
        eliminate_dead_code(g);
        return std::count_if(g.nodes.begin(), g.nodes.end(),
                             [](const graph_node& n) { return n.what == ir::kind::cast && is_storage_only(n.type); });
    };
    EXPECT_EQ(casts_in(bound(astype<float16>(h + h))), 1);
    EXPECT_EQ(casts_in(bound(astype<float16>(transpose(h + h)) * h(0, 0))), 1);
    EXPECT_EQ(casts_in(bound(astype<float16>(astype<float16>(h + h)))), 1);
    EXPECT_EQ(casts_in(bound(astype<float16>(h))), 0);
    EXPECT_EQ(casts_in(bound(astype<float16>(transpose(h)))), 0);
    EXPECT_EQ(casts_in(bound(matmul(h + h, transpose(h)))), 1);
}

/// The one kernel of an expression, after all passes.
template <class Tree>
loop_nest kernel_of(const expr<Tree>& e) {
    std::vector<loop_nest> all = make_kernels(sinter::detail::program_of<Tree>, e.arguments());
    EXPECT_EQ(all.size(), 1u);
    return all.back();
}

/// The extents of the outer axes, then of each loop's: "6 | 3 4".
std::string axes_text(const loop_nest& k) {
    std::string text;
    for (int a : k.outer) text += std::to_string(k.extents[static_cast<std::size_t>(a)]) + ' ';
    for (const inner_loop& l : k.loops) {
        text += '|';
        for (int a : l.axes) text += ' ' + std::to_string(k.extents[static_cast<std::size_t>(a)]);
    }
    return text;
}

TEST_F(passes, elementwise_kernels_collapse) {
    const array<double, 3> z(shape<3>(4, 2, 3));
    const array<double, 1> row(shape<1>(3));
    EXPECT_EQ(axes_text(kernel_of(x_ + y_)), "6 ");
    EXPECT_EQ(axes_text(kernel_of(z * 2 + z)), "24 ");
    EXPECT_EQ(axes_text(kernel_of(z + x_)), "4 6 ");  // x lies along the last two axes
    EXPECT_EQ(axes_text(kernel_of(z + row)), "8 3 ");
    EXPECT_EQ(axes_text(kernel_of(exp(transpose(x_)))), "3 2 ");
    EXPECT_EQ(axes_text(kernel_of(transpose(x_) + transpose(y_))), "3 2 ");
    EXPECT_EQ(axes_text(kernel_of(permute(z, {1, 2, 0}) * 2)), "6 4 ");
    EXPECT_EQ(axes_text(kernel_of(broadcast_to(1.0, {3, 4, 5}))), "60 ");
    EXPECT_EQ(axes_text(kernel_of(array<float, 4>(shape<4>(1, 5, 1, 3)) + 1)), "15 ");  // extents of 1 are no axes
    EXPECT_EQ(axes_text(kernel_of(array<float, 2>(shape<2>(1, 1)) + 1)), "");
    EXPECT_EQ(kernel_of(x_ + x_ * y_ + x_).layouts.size(), 1u);
    EXPECT_EQ(kernel_of(x_ + x_ * x_ + x_).inputs.size(), 1u);
}

TEST_F(passes, reduction_kernels_collapse) {
    const array<double, 3> z(shape<3>(4, 2, 3));
    EXPECT_EQ(axes_text(kernel_of(sum(z))), "| 24");
    EXPECT_EQ(axes_text(kernel_of(sum(z, axis={1, 2}))), "4 | 6");
    EXPECT_EQ(axes_text(kernel_of(sum(z, axis={0, 1}))), "3 | 8");
    EXPECT_EQ(axes_text(kernel_of(sum(z, axis=2))), "8 | 3");
    EXPECT_EQ(axes_text(kernel_of(sum(z, axis=1))), "4 3 | 2");
    EXPECT_EQ(axes_text(kernel_of(sum(z, axis={0, 2}))), "2 | 4 3");
    EXPECT_EQ(axes_text(kernel_of(sum(transpose(z)))), "| 24");  // the order of a fold is the memory's
    EXPECT_EQ(axes_text(kernel_of(sum(array<float, 3>(shape<3>(5, 1, 1)), axis=1))),
              "5 ");  // over one element: itself
}

TEST_F(passes, reductions_used_again_share_the_group) {
    auto e = exp(x_ - max(x_, axis=1, keepdims));
    const loop_nest k = kernel_of(e / sum(e, axis=1, keepdims));
    EXPECT_EQ(axes_text(k), "2 | 3| 3| 3");
    ASSERT_EQ(k.loops.size(), 3u);
    EXPECT_EQ(k.loops[0].reductions.size(), 1u);
    EXPECT_EQ(k.loops[1].reductions.size(), 1u);
    EXPECT_TRUE(k.loops[2].reductions.empty());
    ASSERT_EQ(k.stores.size(), 1u);
    EXPECT_EQ(k.stores[0].loop, 2);
    EXPECT_EQ(k.inputs.size(), 1u);

    const loop_nest both = kernel_of(max(x_, axis=0) - min(x_, axis=0));
    EXPECT_EQ(axes_text(both), "3 | 2");  // one pass makes both
    EXPECT_EQ(both.loops[0].reductions.size(), 2u);
    EXPECT_EQ(axes_text(kernel_of(x_ / sum(x_))), "| 6| 6");
}

/// What reads a product element by element is its epilogue; what repeats its elements would compute them as often.
TEST_F(passes, products_join_readers_of_their_own_shape) {
    const auto kernels = [](const auto& e) {
        return make_kernels(sinter::detail::program_of<typename std::decay_t<decltype(e)>::tree_type>, e.arguments())
            .size();
    };
    const array<double, 2> m(shape<2>(3, 3)), column(shape<2>(3, 1));
    EXPECT_EQ(kernels(matmul(m, m) * 2 + m), 1u);
    EXPECT_EQ(kernels(matmul(m, column) * 2 + m), 2u);
}

/// A sum over all has one element, wherever it is read: of the places nothing is left, not their array nor their loop.
TEST_F(passes, what_places_need_goes_where_they_make_no_difference) {
    const array<std::int64_t, 1> v(shape<1>(5)), w(shape<1>(7));
    const loop_nest k = kernel_of(take(sum(v * v, keepdims), max(w, keepdims)));
    EXPECT_EQ(k.inputs.size(), 1u);
    ASSERT_EQ(k.loops.size(), 1u);
    EXPECT_EQ(k.loops[0].reductions.size(), 1u);
}

TEST_F(passes, values_know_their_loop_and_stage) {
    const loop_nest k = kernel_of(x_ / sum(x_, axis=1, keepdims));
    for (const value& v : k.values) {
        for (int in : v.in) EXPECT_LT(in, &v - k.values.data());
        if (v.what == value_kind::reduce) {
            EXPECT_EQ(v.loop, group_level);
            EXPECT_EQ(v.over, 0);
            EXPECT_EQ(v.stage, 1);
        } else if (v.what == value_kind::load || v.what == value_kind::elementwise) {
            EXPECT_NE(v.loop, group_level);
        }
    }
}

// As the graph of what reads a stored scan: cut along its other axes.
TEST_F(passes, where_nothing_is_folded_all_axes_are_outer_ones) {
    graph g = bound(x_ - y_);
    g.roots[0].outer = 1;
    EXPECT_TRUE(open_axes(g));
    EXPECT_EQ(g.roots[0].outer, 3u);
    EXPECT_FALSE(open_axes(g));
    EXPECT_TRUE(lower_to_loops(g).loops.empty());

    g = bound(x_ - sum(y_, axis=1, keepdims));
    g.roots[0].outer = 1;
    EXPECT_FALSE(open_axes(g)) << "the rows need their sums";
    EXPECT_EQ(g.roots[0].outer, 1u);
}

TEST_F(passes, the_trace_tells_of_every_pass) {
    std::string trace;
    const auto e = x_ + sum(x_);
    make_kernels(sinter::detail::program_of<decltype(e)::tree_type>, e.arguments(), &trace);
    std::size_t at = 0;
    for (const char* pass : {"bind", "partition", "unify-inputs", "simplify", "cse", "dce"}) {
        at = trace.find(std::string("after ") + pass + ":\n", at);
        EXPECT_NE(at, std::string::npos) << pass;
    }
}

/// The verifier's message about a graph, or "".
std::string fault_of(const graph& g) {
    try {
        verify(g, "test");
    } catch (const error& e) {
        return e.what();
    }
    return {};
}

TEST_F(passes, verify_accepts_what_the_front_end_makes) {
    EXPECT_EQ(fault_of(bound(where(x_ > 0, transpose(transpose(x_)), sum(y_)))), "");
    EXPECT_EQ(fault_of(bound(broadcast_to(max(x_, axis=0), {0, 3}))), "");
}

TEST_F(passes, verify_refuses_broken_graphs) {
    using testing::AllOf, testing::HasSubstr;
    const graph good = bound(sum(transpose(x_) + 1, axis=0));
    // %0 = x0, %1 = view, %2 = s0, %3 = add, %4 = sum
    ASSERT_EQ(fault_of(good), "");
    const auto broken = [&](auto break_it) {
        graph g = good;
        break_it(g);
        return fault_of(g);
    };
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].in[0] = 4; }),
                AllOf(HasSubstr("after pass 'test'"), HasSubstr("%3"), HasSubstr("comes after its user")));
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].in[1] = -1; }), HasSubstr("wrong number of operands"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].op = nullptr; }), HasSubstr("wrong number of operands"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[4].op = g.nodes[3].op; }), HasSubstr("%4"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[0].argument = 1; }), HasSubstr("no such leaf"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[2].type = dtype::float32; }), HasSubstr("operands of different dtypes"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].type = dtype::bool_; }),
                HasSubstr("dtype does not follow from the row's rule"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].shape[0] = 7; }), HasSubstr("does not broadcast"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].rank = 1; }), HasSubstr("higher rank"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[3].rank = 9; }), HasSubstr("rank out of range"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[4].axes = 4; }), HasSubstr("axis is out of range"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[4].axes = 3; }), HasSubstr("rank does not follow"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[4].type = dtype::int64; }), HasSubstr("accumulator"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[1].map[0].from = 2; }), HasSubstr("along an axis that it does not have"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[1].map[0].start = 1; }), HasSubstr("beyond its operand"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[1].map[1].step = 2; }), HasSubstr("beyond its operand"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[1].map[1] = {0, 1, -1}; }), HasSubstr("beyond its operand"));
    EXPECT_THAT(broken([](graph& g) { g.nodes[1].type = dtype::float32; }), HasSubstr("a view changes the dtype"));
    EXPECT_THAT(broken([](graph& g) { g.roots[0].node = 5; }), HasSubstr("no root"));
}

}  // namespace
}  // namespace sinter::codegen
