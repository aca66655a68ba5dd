// What the search for a cut keeps of kernels: that it is what would be made again, and that it is kept.
#include <codegen/driver/cut_memo.hpp>
#include <codegen/driver/kernel_memo.hpp>
#include <codegen/driver/loop_nest_memo.hpp>
#include <codegen/driver/make_kernel.hpp>
#include <codegen/driver/pipeline.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter.hpp>
#include <sinter/sort.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

class memos : public testing::Test {
protected:
    template <class Tree>
    static std::vector<graph> parts_of(const expr<Tree>& e) {
        return partition(cut_program(sinter::detail::program_of<Tree>, e.arguments()));
    }

    /// A graph with other leaves before its own.
    static graph with_leaves_moved(graph part, int by) {
        const std::vector<graph_leaf> own = part.leaves;
        part.leaves.assign(static_cast<std::size_t>(by), graph_leaf{});
        part.leaves.insert(part.leaves.end(), own.begin(), own.end());
        for (graph_node& n : part.nodes)
            if (n.what == ir::kind::leaf) n.argument += by;
        return part;
    }

    device_scope on_host_{host()};
    array<float, 2> x_ = zeros<float>({30, 40}), y_ = zeros<float>({30, 40});
    array<float, 1> v_ = zeros<float>({40});
};

TEST_F(memos, kernels_are_those_that_are_made_without) {
    kernel_memo made;
    const auto expect_same = [&](const auto& e) {
        for (const graph& part : parts_of(e))
            for (const int by : {0, 3}) {
                const graph moved = with_leaves_moved(part, by);
                EXPECT_EQ(made.kernel_of(moved), make_kernel(moved)) << print(moved);
                EXPECT_EQ(made.kernel_of(moved), make_kernel(moved)) << "at the second time: " << print(moved);
            }
    };
    expect_same(x_ / sum(x_) - mean(y_, axis=0));
    expect_same(x_ / sum(y_) - mean(x_, axis=0));
    expect_same(softmax(gelu(x_ + v_) - max(y_), axis=1));
    expect_same(softmax(gelu(y_ + v_) - max(x_), axis=1));
    expect_same(sum(x_ * y_, axis=1) + sum(y_ * x_, axis=1));
    expect_same(sinter::sort(x_, axis=1) - max(x_));
}

TEST_F(memos, equal_arrays_are_one_leaf_whether_read_or_not) {
    const array<float, 2> same = x_;
    const std::vector<graph> parts = parts_of(sum(x_) + sum(exp(same)));
    kernel_memo made;
    for (const graph& part : parts) EXPECT_EQ(made.kernel_of(part), make_kernel(part)) << print(part);
}

TEST_F(memos, cuts_are_predicted_once_that_differ_in_how_often_they_have_a_node) {
    const auto e = sum(exp(x_) * exp(x_), axis=1);
    std::vector<graph> merged = parts_of(e);
    cse(merged[0]);
    eliminate_dead_code(merged[0]);
    graph twice = merged[0];  // with a copy of its first node, which nothing reads
    twice.nodes.push_back(twice.nodes[0]);
    cut_memo memo;
    int times = 0;
    const auto count = [&times](const std::vector<graph>&) { return cut_prediction{1, static_cast<double>(++times)}; };
    EXPECT_EQ(memo.prediction_of(merged, {}, count).seconds, 1);
    EXPECT_EQ(memo.prediction_of({twice}, {}, count).seconds, 1);
    std::vector<graph> longer = merged;
    longer[0].nodes.back().shape[0] += 1;
    EXPECT_EQ(memo.prediction_of(longer, {}, count).seconds, 2) << "another extent";
    EXPECT_EQ(memo.prediction_of({merged[0], merged[0]}, {}, count).seconds, 3) << "one kernel more";
    merged[0].product = twice.product = ir::product::exact;
    EXPECT_EQ(memo.prediction_of(merged, {}, count).seconds, 4);
    EXPECT_EQ(memo.prediction_of({twice}, {}, count).seconds, 5) << "a product whose operand has another reader";
}

TEST_F(memos, a_prediction_beyond_a_limit_is_completed_for_a_higher_one) {
    const std::vector<graph> parts = parts_of(sum(exp(x_), axis=1));
    cut_memo memo;
    int times = 0;
    const auto stops = [&times](const std::vector<graph>&) {
        ++times;
        return cut_prediction{1, 2, 0, 0, false};
    };
    const auto completes = [&times](const std::vector<graph>&) {
        ++times;
        return cut_prediction{1, 3};
    };
    EXPECT_FALSE(memo.prediction_of(parts, {1, 1.5}, stops).is_complete);
    EXPECT_FALSE(memo.prediction_of(parts, {1, 1}, completes).is_complete) << "it takes more than that";
    EXPECT_EQ(times, 1);
    EXPECT_EQ(memo.prediction_of(parts, {1, 2.5}, completes).seconds, 3);
    EXPECT_EQ(memo.prediction_of(parts, {1, 1}, stops).seconds, 3);
    EXPECT_EQ(times, 2);
}

TEST_F(memos, values_are_computed_once_for_kernels_that_differ_in_leaves) {
    std::vector<graph> parts = parts_of(sqrt(x_ * y_));
    loop_nest k = make_kernel(parts[0]);
    loop_nest_memo<std::size_t> memo;
    int times = 0;
    const auto count = [&](const loop_nest& of, const std::vector<int>&) {
        ++times;
        return of.inputs.size();
    };
    EXPECT_EQ(memo.value_of(k, {16, 16, 16}, count), 2u);
    loop_nest moved = k;
    for (kernel_input& in : moved.inputs) in.leaf += 5;
    memo.value_of(moved, {16, 16, 16}, count);
    EXPECT_EQ(times, 1);
    memo.value_of(k, {16, 4, 16}, count);
    EXPECT_EQ(times, 2) << "another alignment";
    loop_nest squared = k;
    squared.inputs[1].leaf = squared.inputs[0].leaf;
    memo.value_of(squared, {16, 16, 16}, count);
    EXPECT_EQ(times, 3) << "two inputs of one array";
    loop_nest longer = k;
    longer.extents[0] *= 2;
    memo.value_of(longer, {16, 16, 16}, count);
    EXPECT_EQ(times, 4) << "another extent";
}

}  // namespace
}  // namespace sinter::codegen
