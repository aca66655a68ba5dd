// The cost model ranks schedules as an H200 times them: how much slower than the fastest point the one is that the
// model holds for the cheapest, on kernels that it was not fitted to.
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/points.hpp>
#include <tests/codegen/random_kernels.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::codegen {
namespace {

struct timed_point {
    bool is_chosen = false;
    double microseconds = 0, predicted = 0;
};
using timed_kernels = std::map<std::string, std::vector<timed_point>>;

/// The kernels of tests/data/schedules/h200.tsv that the model was fitted to, or the others.
timed_kernels timed(const std::string& part) {
    std::ifstream in(SINTER_TEST_DIR "/data/schedules/h200.tsv");
    timed_kernels all;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream fields(line);
        std::string expression, extents, of, point, number;
        for (std::string* f : {&expression, &extents, &of, &point}) std::getline(fields, *f, '\t');
        timed_point p;
        launch_work w;
        fields >> p.microseconds;
        for (double* n :
             {&w.bytes, &w.segment, &w.requested, &w.in_flight, &w.instructions, &w.lines, &w.blocks, &w.warps,
              &w.waves, &w.steps, &w.folds, &w.barriers, &w.syncs, &w.functions, &w.divisions, &w.doubles})
            fields >> *n;
        EXPECT_FALSE(fields.fail()) << line;
        p.is_chosen = point == "0";
        p.predicted = 1e6 * predicted_seconds(w, device_properties{});
        if (of == part) all[expression + extents].push_back(p);
    }
    return all;
}

struct regret {
    double mean = 1, worst = 1;  ///< geometric mean
};

/// Of what choose() takes of each kernel's points, over the fastest of them.
template <class F>
regret regret_of(const timed_kernels& all, F choose) {
    regret r;
    double logs = 0;
    for (const auto& [name, points] : all) {
        double least = points[0].microseconds;
        for (const timed_point& p : points) least = std::min(least, p.microseconds);
        const double ratio = choose(points) / least;
        logs += std::log(ratio);
        r.worst = std::max(r.worst, ratio);
    }
    r.mean = std::exp(logs / static_cast<double>(all.size()));
    return r;
}

/// The fastest of so many points that the model ranks first.
auto best_of(std::size_t count) {
    return [count](std::vector<timed_point> points) {
        std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
        points.resize(std::min(points.size(), count));
        double least = points[0].microseconds;
        for (const timed_point& p : points) least = std::min(least, p.microseconds);
        return least;
    };
}

double chosen(const std::vector<timed_point>& points) {
    return std::find_if(points.begin(), points.end(), [](const timed_point& p) { return p.is_chosen; })->microseconds;
}

TEST(Cost, RanksSchedulesOfKernelsThatItWasNotFittedTo) {
    const timed_kernels held_out = timed("held out");
    ASSERT_GE(held_out.size(), 20u);
    const regret first = regret_of(held_out, best_of(1)), rules = regret_of(held_out, chosen);
    EXPECT_LT(first.mean, 1.05);
    EXPECT_LT(first.worst, 1.4);
    EXPECT_LT(first.mean, rules.mean);
    EXPECT_LT(regret_of(held_out, best_of(6)).mean, 1.02);
}

TEST(Cost, PredictsTheTimesOfChosenSchedules) {
    for (const char* part : {"fitted", "held out"}) {
        double squares = 0;
        const timed_kernels all = timed(part);
        for (const auto& [name, points] : all)
            for (const timed_point& p : points)
                if (p.is_chosen) squares += std::pow(std::log(p.predicted / p.microseconds), 2);
        EXPECT_LT(std::sqrt(squares / static_cast<double>(all.size())), 0.25) << part;
    }
}

/// More of anything takes no less time.
TEST(Cost, IsMonotone) {
    launch_work base;
    base.bytes = base.requested = 1e9;
    base.in_flight = 40000;
    base.instructions = base.lines = 1e7;
    base.blocks = 10000;
    base.warps = 80000;
    base.waves = 10;
    base.steps = 4;
    const double seconds = predicted_seconds(base, device_properties{});
    for (double launch_work::*more : {&launch_work::bytes, &launch_work::requested, &launch_work::instructions,
                                      &launch_work::functions, &launch_work::divisions, &launch_work::lines,
                                      &launch_work::steps, &launch_work::barriers, &launch_work::syncs}) {
        launch_work w = base;
        w.*more = 2 * (w.*more) + 1;
        EXPECT_GE(predicted_seconds(w, device_properties{}), seconds);
    }
    base.in_flight /= 8;
    EXPECT_GT(predicted_seconds(base, device_properties{}), seconds);
}

TEST(Cost, VariantsAreTheChosenScheduleAndAFewThatTheModelRanksFirst) {
    testing::random_kernels random(12, 1 << 20);
    for (int round = 0; round < 100; ++round) {
        const loop_nest k = random.groups(round % 2 == 0);
        const std::vector<int> alignment(8, 16);
        const std::vector<schedule> all = schedule_variants(k, device_properties{}, alignment);
        ASSERT_EQ(all.at(0), choose_schedule(k, device_properties{}, alignment));
        ASSERT_LE(all.size(), 7u);
        for (std::size_t p = 2; p < all.size(); ++p)
            ASSERT_LE(predicted_seconds(k, all[p - 1], device_properties{}),
                      predicted_seconds(k, all[p], device_properties{}));
    }
}

TEST(Cost, ASingleElementHasNoVariants) {
    testing::kernel_builder b;
    b.store(b.op("square", {b.load(b.input(dtype::float32), {})}), {});
    EXPECT_EQ(schedule_variants(b.k, device_properties{}, {16, 16}).size(), 1u);
}

}  // namespace
}  // namespace sinter::codegen
