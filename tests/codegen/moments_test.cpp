// Accumulators of several numbers in every way in which they travel between threads: accumulators of one thread,
// shuffles, shared memory, the workspace of split reductions and of grid barriers.
#include <codegen/schedule/forms.hpp>
#include <tests/codegen/render_running.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using testing::chosen, testing::expect_right, testing::wide;
using testing::standardised_by_moments, testing::variance_of_columns, testing::variance_of_rows;

constexpr dtype both[] = {dtype::float32, dtype::float64};

TEST(Moments, OfRowsOfEveryLengthAndGroup) {
    for (dtype type : both) {
        for (std::int64_t n : {0, 1, 2, 33, 100, 1026, 3000})
            expect_right(variance_of_rows(13, n, type), chosen(variance_of_rows(13, n, type)));
        const loop_nest k = variance_of_rows(13, 700, type);
        for (int group : {1, 2, 32, 256}) {
            schedule s = chosen(k);
            s.threads_per_output = group;
            s.block_threads = std::max(group, 128);
            s.unroll = group == 2 ? 1 : 4;
            expect_right(k, group == 256 ? wide(s) : s);
        }
    }
}

TEST(Moments, OfColumnsOfEveryShape) {
    for (dtype type : both)
        for (const auto& [n, columns] : {std::pair{1, 5}, {7, 33}, {100, 64}, {999, 1}, {0, 40}, {3000, 70}})
            expect_right(variance_of_columns(n, columns, type), chosen(variance_of_columns(n, columns, type)));
    schedule s = chosen(variance_of_columns(300, 4096), 8);
    EXPECT_GT(s.vector_width, 1);
    expect_right(variance_of_columns(300, 4096), s);
}

/// The rows' choice, the first candidate of columns that several blocks share: another one may be as good.
schedule split(const loop_nest& k) {
    const std::vector<int> alignment(k.inputs.size() + k.outputs.size(), 16);
    if (const schedule s = chosen(k); s.form != schedule_form::columns) return s;
    for (const schedule& s : column_candidates(k, device_properties{}, alignment))
        if (s.blocks_per_output > 1 && !s.grid_barrier) return s;
    return {};
}

TEST(Moments, OfSplitRowsAndColumns) {
    for (const loop_nest& k : {variance_of_rows(3, 40000), variance_of_rows(3, 20002, dtype::float64),
                               variance_of_columns(5000, 37), variance_of_columns(5000, 36, dtype::float64)}) {
        schedule s = split(k);
        ASSERT_GT(s.blocks_per_output, 1) << describe(s);
        expect_right(k, s, 3);
        s.blocks_per_output = 300;  // most parts are empty
        expect_right(k, s, 2);
    }
}

TEST(Moments, ThatMeetAtGridBarriers) {
    for (const auto& [columns, fits] : {std::pair{8, true}, {20, false}}) {  // the registers of all blocks
        const loop_nest k = standardised_by_moments(9001, columns);
        const schedule s = chosen(k);
        EXPECT_TRUE(s.grid_barrier && s.vector_width > 1) << describe(s);
        EXPECT_EQ(s.register_cached, fits) << describe(s);
        expect_right(k, s, 2);
    }
    expect_right(standardised_by_moments(130, 45), chosen(standardised_by_moments(130, 45)));
}

TEST(Moments, OfUnlikeDtypesHaveUnlikeKeys) {
    const loop_nest narrow = variance_of_rows(50, 100), wider = variance_of_rows(50, 100, dtype::float64);
    EXPECT_NE(class_key(narrow, chosen(narrow)), class_key(wider, chosen(narrow)));
}

}  // namespace
}  // namespace sinter::codegen
