// The sectors that loads touch, counted by strides and extents, beside those that each element's address falls into.
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/footprint.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sinter::codegen {
namespace {

using testing::kernel_builder;

/// The bytes of the sectors that hold an element of some load.
std::int64_t touched(const loop_nest& k) {
    std::set<std::int64_t> sectors;
    for (const value& load : k.values) {
        const auto size = static_cast<std::int64_t>(size_of(load.type));
        std::vector<std::int64_t> index(k.extents.size(), 0);
        for (std::size_t a = 0; a < index.size();) {
            std::int64_t at = k.inputs[static_cast<std::size_t>(load.input)].offset;
            for (std::size_t b = 0; b < index.size(); ++b) at += index[b] * stride_of(k, load.at, static_cast<int>(b));
            sectors.insert(at * size / sector_bytes);
            for (a = 0; a < index.size() && ++index[a] == k.extents[a]; ++a) index[a] = 0;
        }
    }
    return static_cast<std::int64_t>(sectors.size()) * sector_bytes;
}

/// Loads of slices of one array: each starts, steps and turns round along each axis as it likes.
class slices_of_an_array {
public:
    explicit slices_of_an_array(unsigned seed) : random_(seed) {}

    loop_nest next(bool same_steps) {
        kernel_builder b;
        const dtype type = std::vector{dtype::uint8, dtype::float16, dtype::float32, dtype::float64}[below(4)];
        std::vector<std::int64_t> shape, extents, steps;
        for (std::size_t rank = 1 + below(3); rank > 0; --rank) {
            shape.push_back(8 + static_cast<std::int64_t>(below(rank == 1 ? 200 : 30)));
            steps.push_back(1 + static_cast<std::int64_t>(below(4)));
            extents.push_back(1 + static_cast<std::int64_t>(below(static_cast<std::size_t>((shape.back() - 1) / 4))));
            b.outer(extents.back());
        }
        for (std::size_t loads = 1 + below(4); loads > 0; --loads) {
            std::int64_t offset = 0, size = 1;
            kernel_builder::strides strides;
            for (std::size_t a = shape.size(); a-- > 0;) {
                if (!same_steps) steps[a] = 1 + static_cast<std::int64_t>(below(4));
                const std::int64_t reach = (extents[a] - 1) * steps[a];
                const auto first = static_cast<std::int64_t>(below(static_cast<std::size_t>(shape[a] - reach)));
                const bool backwards = below(4) == 0;
                offset += size * (first + (backwards ? reach : 0));
                strides.emplace_back(static_cast<int>(a), backwards ? -size * steps[a] : size * steps[a]);
                size *= shape[a];
            }
            const int input = b.input(type);
            b.k.inputs.back().leaf = 0;
            b.k.inputs.back().offset = offset;
            b.load(input, strides);
        }
        return b.k;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    std::mt19937 random_;
};

std::int64_t counted(const loop_nest& k) {
    const std::vector<array_footprint> all = footprints_of(k);
    EXPECT_EQ(all.size(), 1u);
    EXPECT_EQ(all.at(0).bytes, all.at(0).bytes_by_loops);
    return all.at(0).bytes;
}

/// Ends of runs are counted as they lie on average; what is short has few of them.
double off(const loop_nest& k) {
    return std::abs(static_cast<double>(counted(k)) - static_cast<double>(touched(k))) /
           static_cast<double>(touched(k) + 8 * sector_bytes);
}

TEST(Footprint, SlicesOfTheSameStepsCountTheSectorsOfTheirUnion) {
    slices_of_an_array random(1);
    double sum = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        const loop_nest k = random.next(true);
        ASSERT_LT(off(k), 0.35) << round << ": " << counted(k) << " of " << touched(k);
        sum += off(k);
    }
    EXPECT_LT(sum / rounds, 0.02);
}

TEST(Footprint, SlicesOfOtherStepsCountNoLessThanEachAndNoMoreThanAll) {
    slices_of_an_array random(2);
    double sum = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        const loop_nest k = random.next(false);
        sum += off(k);
        std::int64_t most = 0, all = 0;
        for (std::size_t v = 0; v < k.values.size(); ++v) {
            loop_nest one = k;
            one.values = {k.values[v]};
            most = std::max(most, counted(one));
            all += counted(one);
        }
        ASSERT_GE(counted(k) + sector_bytes, most) << round;
        ASSERT_LE(counted(k), all + 2 * sector_bytes) << round;
    }
    EXPECT_LT(sum / rounds, 0.1);
}

/// Planes, halves of rows, and elements in turns, of 1000 rows of 64 floats.
TEST(Footprint, DisjointPartsAddAndPartsThatShareSectorsDoNot) {
    struct part {
        std::int64_t offset, step;
    };
    const auto bytes_of = [](const std::vector<part>& parts, std::int64_t row, std::int64_t length) {
        kernel_builder b;
        const int rows = b.outer(1000), columns = b.outer(length);
        for (const part& p : parts) {
            const int input = b.input(dtype::float32);
            b.k.inputs.back().leaf = 0;
            b.k.inputs.back().offset = p.offset;
            b.load(input, {{rows, row}, {columns, p.step}});
        }
        return counted(b.k);
    };
    EXPECT_EQ(bytes_of({{0, 1}, {64000, 1}, {128000, 1}}, 64, 64), 3 * 1000 * 64 * 4);
    EXPECT_EQ(bytes_of({{0, 1}, {32, 1}}, 64, 32), 1000 * 64 * 4);
    EXPECT_EQ(bytes_of({{0, 2}, {1, 2}}, 64, 32), 1000 * 64 * 4);
    EXPECT_EQ(bytes_of({{0, 1}, {1, 1}, {2, 1}}, 64, 30), 1000 * 32 * 4);  // a window of three
    EXPECT_EQ(bytes_of({{0, 1}, {64, 1}, {128, 1}}, 64, 64), 1002 * 64 * 4);
    EXPECT_EQ(bytes_of({{31 + 32 * 64, -1}, {0, 1}}, 64, 32), 1032 * 32 * 4);
    EXPECT_EQ(bytes_of({{0, 0}, {0, 1}}, 64, 64), 1000 * 64 * 4);  // a row's first element, for all of the row
}

TEST(Footprint, GathersTouchASectorForEachIndexThatDataChoose) {
    kernel_builder b;
    const int rows = b.outer(1000), columns = b.outer(10);
    const int index = b.load(b.input(dtype::int64), {{columns, 1}});
    const int far = b.input(dtype::float32);
    b.k.inputs.back().elements = 1000 * 500;
    b.gather(far, {{rows, 500}}, index);
    EXPECT_EQ(footprints_of(b.k).at(1).bytes, 1000 * 10 * sector_bytes);
    b.k.inputs.back().elements = 1000 * 20;
    EXPECT_EQ(footprints_of(b.k).at(1).bytes, 1000 * 20 * 4) << "no more than the array has";
}

TEST(Footprint, LoopsThatLoadTheSameCountOnceAndForEachOfThem) {
    kernel_builder b;
    const int rows = b.outer(100);
    const int input = b.input(dtype::float32);
    for (int l = 0; l < 2; ++l) {
        const int loop = b.loop({64});
        b.load(input, {{rows, 64}, {b.inner(loop), 1}}, loop);
    }
    const array_footprint f = footprints_of(b.k).at(0);
    EXPECT_EQ(f.bytes, 100 * 64 * 4);
    EXPECT_EQ(f.bytes_by_loops, 2 * 100 * 64 * 4);
}

}  // namespace
}  // namespace sinter::codegen
