// Schedules of channels: when they are chosen, and that the generated kernels compute what they should.
#include <tests/codegen/channel_samples.hpp>
#include <tests/codegen/render_running.hpp>

#include <cstdint>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::images;
using testing::kernel_builder;
using testing::pixels_of_planes;
using testing::planes_of_pixels;
using testing::wide;

bool has_channels(const schedule& s) { return s.form == schedule_form::channels; }

TEST(Channels, WhereAShortAxisLiesAcross) {
    const images large{16, 1 << 16, 3, 3};
    EXPECT_EQ(describe(chosen(planes_of_pixels(large, dtype::uint8, dtype::float32), 132)),
              "channels: 3 channels of 4 pixels per thread, 256 threads per block");
    const auto form = [](const images& of) {
        return has_channels(chosen(planes_of_pixels(of, dtype::uint8, dtype::float32), 132));
    };
    EXPECT_TRUE(has_channels(chosen(pixels_of_planes(large, dtype::float32, dtype::uint8), 132)));
    EXPECT_TRUE(form({16, 1 << 16, 8, 8}));
    EXPECT_FALSE(form({16, 1 << 16, 9, 9}));  // a tile
    EXPECT_FALSE(form({16, 1 << 12, 3, 3}));  // fewer than a thread per lane of the device
    EXPECT_FALSE(form({16, 65537, 3, 3}));    // a plane begins anywhere
    EXPECT_FALSE(has_channels(chosen(planes_of_pixels(large, dtype::uint8, dtype::float32), 132, 1)));
    EXPECT_EQ(chosen(planes_of_pixels({16, 1 << 16, 8, 8}, dtype::uint8, dtype::uint8), 132).vector_width, 8);
    EXPECT_EQ(chosen(planes_of_pixels({16, 1 << 18, 3, 3}, dtype::uint8, dtype::uint8), 132).vector_width, 16);
    kernel_builder b;  // all accesses in one order: one run of elements
    const int p = b.outer(1 << 20), c = b.outer(3);
    b.store(b.op("exp", {b.load(b.input(dtype::float32), {{p, 3}, {c, 1}})}), {{p, 3}, {c, 1}});
    EXPECT_FALSE(has_channels(chosen(b.k, 132)));
}

TEST(Channels, EveryNumberOfChannels) {
    for (std::int64_t channels = 2; channels <= 8; ++channels)
        for (const std::int64_t count : {1, 3}) {
            const images of{count, count == 1 ? 2 * 1024 + 1004 : 1060, channels, channels};
            for (const loop_nest& k : {planes_of_pixels(of, dtype::uint8, dtype::float32),
                                       pixels_of_planes(of, dtype::int32, dtype::uint8)}) {
                const schedule s = chosen(k, 1);
                SCOPED_TRACE(::testing::Message() << count << " of " << channels);
                ASSERT_TRUE(has_channels(s)) << describe(s);
                expect_right(k, s);
                if (channels == 3) expect_right(k, wide(s));
            }
        }
}

TEST(Channels, EveryWidthOfElement) {
    for (const auto& [narrow, other] : {std::pair{dtype::uint8, dtype::uint8},
                                        {dtype::uint8, dtype::int64},
                                        {dtype::float16, dtype::float32},
                                        {dtype::bfloat16, dtype::float32}})
        for (const images& of : {images{1, 8192, 3, 3}, images{2, 4128, 4, 4}, images{1, 8193, 2, 2}}) {
            const loop_nest in = planes_of_pixels(of, narrow, other), out = pixels_of_planes(of, other, narrow);
            SCOPED_TRACE(::testing::Message() << name(narrow) << ' ' << of.pixels << " of " << of.channels);
            EXPECT_EQ(has_channels(chosen(in, 1)), of.pixels % 2 == 0);
            expect_right(in, chosen(in, 1));
            expect_right(out, chosen(out, 1));
        }
    EXPECT_FALSE(has_channels(chosen(planes_of_pixels({1, 8192, 3, 3}, dtype::float32, dtype::float32), 1)));
}

// Three channels of four that an image has: whole windows of the last pixels are in the array.
TEST(Channels, SomeOfTheChannels) {
    for (std::int64_t stored = 3; stored <= 5; ++stored)
        for (const std::int64_t channels : {2, 3}) {
            const loop_nest k = planes_of_pixels({1, 3076, channels, stored}, dtype::uint8, dtype::float32);
            SCOPED_TRACE(::testing::Message() << channels << " of " << stored);
            EXPECT_TRUE(has_channels(chosen(k, 1)));
            expect_right(k, chosen(k, 1));
        }
}

// Several results go by way of shared memory while there is room.
TEST(Channels, SharedMemoryOfAllResults) {
    loop_nest k = testing::stacked_pixels(4100);
    for (const int results : {1, 4, 5}) {
        while (static_cast<int>(k.stores.size()) < results) {
            k.stores.push_back(k.stores[0]);
            k.stores.back().output = static_cast<int>(k.outputs.size());
            k.outputs.push_back(k.outputs[0]);
        }
        EXPECT_EQ(chosen(k, 1).vector_width, results < 5 ? 4 : 2) << results;
        expect_right(k, chosen(k, 1));
    }
}

TEST(Channels, ResultsStackedAsPixels) {
    for (const std::int64_t pixels : {4096, 5001}) {
        const loop_nest k = testing::stacked_pixels(pixels);
        const schedule s = chosen(k, 1);
        ASSERT_TRUE(has_channels(s)) << describe(s);
        expect_right(k, s);
    }
}

}  // namespace
}  // namespace sinter::codegen
