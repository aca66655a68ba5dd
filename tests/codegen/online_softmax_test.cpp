// Maxima and sums of exponentials in one loop give what two loops give, whatever the schedule, and only they do.
#include <codegen/ir/verify.hpp>
#include <tests/codegen/render_running.hpp>

#include <optional>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::kernel_builder;
using testing::wide;

/// log(sum(exp(x - max(x)))) + max(x) of the rows of a matrix, or of its columns.
loop_nest logsumexp_of(std::int64_t groups, std::int64_t n, bool rows, dtype type = dtype::float32) {
    kernel_builder b;
    const int g = b.outer(groups), in = b.input(type);
    const auto at = [&](int l) -> kernel_builder::strides {
        return {{g, rows ? n : 1}, {b.inner(l), rows ? 1 : groups}};
    };
    const int l0 = b.loop({n});
    const int most = b.reduce("max", b.load(in, at(l0), l0), l0);
    const int l1 = b.loop({n});
    const int below = b.op("subtract", {b.load(in, at(l1), l1), most}, l1);
    const int total = b.reduce("sum", b.op("exp", {below}, l1), l1);
    b.store(b.op("add", {total, most}), {{g, 1}});
    return b.k;
}

/// What one loop and a schedule of it give, beside what the definition of two gives.
void expect_alike(const loop_nest& two, const loop_nest& one, const schedule& s, int times = 1) {
    SCOPED_TRACE(describe(s));
    testing::arguments all = testing::make_arguments(two, 7);
    const std::vector<std::vector<double>> results = testing::run(one, s, all, times);
    testing::interpreter(two, all.inputs, all.scalars, all.outputs).run();
    const double tolerance = two.outputs[0] == dtype::float32 ? 2e-5 : 1e-12;
    for (std::size_t i = 0; i < results[0].size(); ++i)
        ASSERT_NEAR(results[0][i], all.outputs[0][i], tolerance * (1 + std::abs(all.outputs[0][i]))) << i;
}

loop_nest in_one_loop(const loop_nest& two) {
    const std::optional<loop_nest> one = online_softmax(two);
    if (!one) throw std::logic_error("no maximum and sum were found");
    verify(*one, "online_softmax");
    EXPECT_EQ(one->loops.size(), two.loops.size() - 1);
    return *one;
}

TEST(OnlineSoftmax, RowsAndColumns) {
    for (const dtype type : {dtype::float32, dtype::float64})
        for (const bool rows : {true, false})
            for (const auto& [groups, n] : {std::pair{7, 1}, {33, 70}, {64, 1000}}) {
                const loop_nest two = logsumexp_of(groups, n, rows, type), one = in_one_loop(two);
                expect_alike(two, one, chosen(one));
                expect_alike(two, one, wide(chosen(one, 1)));
            }
}

/// sum of a line of so many elements, of leaf 1.
loop_nest sum_of_line(std::int64_t n, dtype type) {
    kernel_builder b;
    const int l = b.loop({n});
    b.store(b.reduce("sum", b.load(b.input(type), {{b.inner(l), 1}}, l), l), {});
    b.k.inputs[0].leaf = 1;
    return b.k;
}

TEST(OnlineSoftmax, OfGroupsThatAreFolded) {
    for (const bool rows : {true, false})
        for (const auto& [groups, n] : {std::pair{7, 1}, {33, 70}, {1000, 64}}) {
            const std::optional<loop_nest> two =
                fold_groups(logsumexp_of(groups, n, rows, dtype::float64), sum_of_line(groups, dtype::float64), {1});
            ASSERT_TRUE(two.has_value());
            const loop_nest one = in_one_loop(*two);
            EXPECT_EQ(group_folds(one).size(), 1u);
            expect_alike(*two, one, chosen(one), 3);
            expect_alike(*two, one, wide(chosen(one, 1)), 2);
        }
}

TEST(OnlineSoftmax, SplitAmongBlocks) {
    for (const bool rows : {true, false}) {
        const loop_nest two = logsumexp_of(3, 40000, rows), one = in_one_loop(two);
        schedule s = chosen(one);
        ASSERT_GT(s.blocks_per_output, 1) << describe(s);
        expect_alike(two, one, s, 2);
        s.blocks_per_output = 100;  // most parts are empty
        expect_alike(two, one, s, 2);
    }
}

TEST(OnlineSoftmax, BeforeOtherLoops) {
    const loop_nest two = testing::softmax_of_rows(9, 300), one = in_one_loop(two);
    expect_alike(two, one, chosen(one));
    schedule s = chosen(one);
    s.register_cached = false;
    s.threads_per_output = s.block_threads = 32;
    s.unroll = 2;
    expect_alike(two, one, s);
}

TEST(OnlineSoftmax, LeavesAloneWhatIsNone) {
    EXPECT_FALSE(online_softmax(testing::norm_of_rows(10, 100)));
    EXPECT_FALSE(online_softmax(testing::standardised_columns(100, 10)));
    EXPECT_FALSE(online_softmax(testing::distance_of_nearest(1000, 64, 32)));
    const auto changed = [](auto change) {
        loop_nest k = testing::softmax_of_rows(9, 300);
        change(k);
        return online_softmax(k).has_value();
    };
    EXPECT_TRUE(changed([](loop_nest&) {}));
    const auto load_of = [](loop_nest& k, int loop) -> value& {
        return *std::find_if(k.values.begin(), k.values.end(),
                             [&](const value& v) { return v.what == value_kind::load && v.loop == loop; });
    };
    EXPECT_FALSE(changed([&](loop_nest& k) {  // other elements than those whose maximum is taken off
        k.inputs.push_back(k.inputs[0]);
        load_of(k, 1).input = 1;
    }));
    EXPECT_FALSE(changed([&](loop_nest& k) {  // the same in another order
        k.layouts.push_back(k.layouts[static_cast<std::size_t>(load_of(k, 1).at)]);
        k.layouts.back().stride[static_cast<std::size_t>(k.loops[1].axes[0])] = 2;
        load_of(k, 1).at = static_cast<int>(k.layouts.size()) - 1;
    }));
    EXPECT_FALSE(changed([](loop_nest& k) { k.extents[static_cast<std::size_t>(k.loops[1].axes[0])] = 299; }));
    EXPECT_FALSE(changed([](loop_nest& k) {  // a minimum
        for (value& v : k.values)
            if (v.what == value_kind::reduce && v.over == 0) v.op = &testing::row_of("min");
    }));
    EXPECT_FALSE(changed([](loop_nest& k) {  // something else is folded there, too
        k.values.push_back(k.values[static_cast<std::size_t>(k.loops[1].reductions[0])]);
        k.values.back().op = &testing::row_of("max");
        k.loops[1].reductions.push_back(static_cast<int>(k.values.size()) - 1);
    }));
}

}  // namespace
}  // namespace sinter::codegen
