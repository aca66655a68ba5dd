// Kernels that move elements and compute nothing, against plain loops: random permutations, steps, reversed and
// repeated axes of arrays on both sides, for elements of every size.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::codegen::testing {
namespace {

struct axis_strides {
    std::int64_t extent, to, from;
};

/// Strides of an array whose axes are stored in a random order, with gaps.
std::vector<std::int64_t> random_strides(const std::vector<std::int64_t>& extents, std::mt19937& random, bool gaps) {
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random() % 3 != 0) std::shuffle(order.begin(), order.end(), random);
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t stride = gaps && random() % 4 == 0 ? 1 + static_cast<std::int64_t>(random() % 5) : 1;
    for (auto a = order.rbegin(); a != order.rend(); ++a) {
        strides[*a] = stride;
        stride *= extents[*a];
        if (gaps && random() % 4 == 0) stride += static_cast<std::int64_t>(random() % 5);
    }
    return strides;
}

std::vector<axis_strides> random_axes(std::mt19937& random) {
    const std::int64_t usual[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 200, 517};
    std::vector<std::int64_t> extents;
    std::int64_t elements = 1;
    for (std::size_t rank = 1 + random() % 4; extents.size() < rank;) {
        const std::int64_t extent = usual[random() % std::size(usual)];
        if (elements * extent > 200'000) break;
        elements *= extent;
        extents.push_back(extent);
    }
    const std::vector<std::int64_t> to = random_strides(extents, random, true);
    std::vector<std::int64_t> from = random_strides(extents, random, true);
    for (std::int64_t& stride : from) stride = random() % 6 == 0 ? 0 : random() % 6 == 0 ? -stride : stride;
    std::vector<axis_strides> axes;
    for (std::size_t a = 0; a < extents.size(); ++a) axes.push_back({extents[a], to[a], from[a]});
    return axes;
}

struct reach {
    std::int64_t below = 0, elements = 1;
};
reach reach_of(const std::vector<axis_strides>& axes, std::int64_t axis_strides::*stride) {
    reach r;
    for (const axis_strides& a : axes) {
        const std::int64_t distance = (a.extent - 1) * (a.*stride);
        r.below -= std::min<std::int64_t>(distance, 0);
        r.elements += std::abs(distance);
    }
    return r;
}

template <class T>
std::vector<T> moved_by_loops(const std::vector<axis_strides>& axes, const T* from, std::vector<T> to) {
    std::vector<std::int64_t> at(axes.size(), 0);
    for (;;) {
        std::int64_t read = 0, write = 0;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            read += at[a] * axes[a].from;
            write += at[a] * axes[a].to;
        }
        to[static_cast<std::size_t>(write)] = from[read];
        std::size_t a = axes.size();
        while (a > 0 && ++at[a - 1] == axes[a - 1].extent) at[--a] = 0;
        if (a == 0) return to;
    }
}

std::string described(const std::vector<axis_strides>& axes) {
    std::ostringstream text;
    for (const axis_strides& a : axes) text << a.extent << ": " << a.to << " <- " << a.from << ", ";
    return text.str();
}

template <class T>
void check(const std::vector<axis_strides>& axes, std::mt19937& random) {
    const reach read = reach_of(axes, &axis_strides::from), written = reach_of(axes, &axis_strides::to);
    std::vector<T> from(static_cast<std::size_t>(read.elements)), to(static_cast<std::size_t>(written.elements));
    for (T& x : from)
        for (std::size_t byte = 0; byte < sizeof(T); ++byte)
            reinterpret_cast<unsigned char*>(&x)[byte] = static_cast<unsigned char>(random());
    kernel_builder b;
    kernel_builder::strides load, store;
    for (const axis_strides& a : axes) {
        const int axis = b.outer(a.extent);
        load.push_back({axis, a.from});
        store.push_back({axis, a.to});
    }
    b.store(b.load(b.input(dtype_of<T>), load), store);
    ASSERT_TRUE(blocked::make_plan(b.k, instruction_set::baseline).move) << described(axes);
    const std::vector<T> expected = moved_by_loops(axes, from.data() + read.below, to);
    const void* in[] = {from.data() + read.below};
    void* out[] = {to.data()};
    evaluate_on_host(b.k, in, out, nullptr);
    ASSERT_EQ(std::memcmp(to.data(), expected.data(), to.size() * sizeof(T)), 0)
        << name(dtype_of<T>) << ", " << described(axes);
}

TEST(moves, between_random_strides) {
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        const std::vector<axis_strides> axes = random_axes(random);
        switch (i % 5) {
            case 0: check<std::uint8_t>(axes, random); break;
            case 1: check<std::int16_t>(axes, random); break;
            case 2: check<float>(axes, random); break;
            case 3: check<double>(axes, random); break;
            default: check<std::complex<double>>(axes, random);
        }
    }
}

/// Results of 8 MiB and more, which are stored past the caches, and boxes that end within an axis.
/// Channels of pixels: all or the first few, in either order, of pixels with more of them.
TEST(moves, between_channels_of_pixels) {
    std::mt19937 random(4);
    for (const std::int64_t channels : {2, 3, 4, 5})
        for (std::int64_t pitch :
             {channels, channels + 1, std::int64_t{4}, 2 * channels, -2 * channels, std::int64_t{14}})
            for (const std::int64_t apart : {1, -1})
                for (const std::int64_t n : {1, 7, 64, 1001}) {
                    const std::vector<axis_strides> pixels = {{n, channels, pitch}, {channels, 1, apart}};
                    check<std::uint8_t>(pixels, random);
                    check<std::int16_t>(pixels, random);
                    check<float>(pixels, random);
                    check<double>(pixels, random);
                    check<std::complex<double>>(pixels, random);
                    check<std::uint8_t>({{3, 5000, 15013}, {n, channels, pitch}, {channels, 1, apart}}, random);
                }
}

TEST(moves, of_large_arrays) {
    std::mt19937 random(11);
    check<std::uint8_t>({{3000, 3001, 1}, {3001, 1, 3000}}, random);
    check<double>({{1025, 1031, 1}, {1031, 1, 1025}}, random);
    check<double>({{3, 400'000, 1'000'000}, {400'000, 1, 1}}, random);
    check<float>({{1'000'003, 3, 1}, {3, 1, 1'000'003}}, random);
    check<std::uint8_t>({{4, 700'001, 1}, {700'001, 1, 4}}, random);
    check<float>({{301, 4 * 517, 517}, {2, 2 * 517, 0}, {517, 2, 1}, {2, 1, 0}}, random);
}

/// An operand that the result overwrites in place is read in blocks, before anything is stored.
TEST(moves, not_in_place) {
    kernel_builder b;
    const int i = b.outer(1000);
    b.store(b.load(b.input(dtype::float32, true), {{i, 1}}), {{i, 1}});
    EXPECT_FALSE(blocked::make_plan(b.k, instruction_set::baseline).move);
}

}  // namespace
}  // namespace sinter::codegen::testing
