// Run-time errors: one line with the cause and what to do instead.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class errors : public on_devices {};

using testing::AllOf, testing::HasSubstr;

TEST_F(errors, shapes_that_do_not_broadcast) {
    const array<float, 2> x(shape<2>(3, 4));
    const array<float, 1> y(shape<1>(3));
    EXPECT_THAT(message_of([&] { return x + y; }), AllOf(HasSubstr("add"), HasSubstr("(3, 4)"), HasSubstr("(3,)")));
    EXPECT_THAT(message_of([&] { return exp(x) * transpose(x); }), AllOf(HasSubstr("multiply"), HasSubstr("(4, 3)")));
    const array<bool, 2> c(shape<2>(2, 4));
    EXPECT_THAT(message_of([&] { return where(c, x, 0); }),
                AllOf(HasSubstr("where"), HasSubstr("(2, 4)"), HasSubstr("(3, 4)")));
    const array<float, 1> none(shape<1>(0));
    EXPECT_THAT(message_of([&] { return x + none; }), HasSubstr("(0,)"));
}

TEST_F(errors, axes_out_of_range) {
    const array<float, 3> x(shape<3>(2, 3, 4));
    EXPECT_THAT(message_of([&] { return sum(x, axis=3); }),
                AllOf(HasSubstr("sum"), HasSubstr("axis=3"), HasSubstr("rank 3"), HasSubstr("-3 to 2")));
    EXPECT_THAT(message_of([&] { return max(x, axis=-4); }), AllOf(HasSubstr("max"), HasSubstr("axis=-4")));
    EXPECT_THAT(message_of([&] { return mean(x, axis={0, 5}); }), AllOf(HasSubstr("mean"), HasSubstr("axis=5")));
    EXPECT_THAT(message_of([&] { return sum(x, axis={1, 1}); }), HasSubstr("axis 1 is named twice"));
    EXPECT_THAT(message_of([&] { return sum(x, axis={1, -2}); }), HasSubstr("named twice"));
}

TEST_F(errors, views) {
    const array<float, 3> x(shape<3>(2, 3, 4));
    EXPECT_THAT(message_of([&] { return permute(x, {0, 1, 1}); }), HasSubstr("{0, 1, 1}"));
    EXPECT_THAT(message_of([&] { return permute(x, {0, 1, 3}); }), HasSubstr("permutation of 0 to 2"));
    EXPECT_THAT(message_of([&] { return permute(x, {0, 1, -4}); }), HasSubstr("-4"));
    EXPECT_THAT(message_of([&] {
                    return broadcast_to(x, {2, 3, 5});
                }),
                AllOf(HasSubstr("(2, 3, 4)"), HasSubstr("(2, 3, 5)")));
}

TEST_F(errors, reductions_of_nothing) {
    const array<float, 2> none(shape<2>(0, 3));
    EXPECT_THAT(message_of([&] { return max(none); }),
                AllOf(HasSubstr("max"), HasSubstr("(0, 3)"), HasSubstr("size()")));
    EXPECT_THAT(message_of([&] { return min(none + 1, axis=0); }), HasSubstr("min"));
}

TEST_F(errors, making_arrays) {
    EXPECT_THAT(message_of([] {
                    return array<float, 2>{{1, 2}, {3}};
                }),
                AllOf(HasSubstr("ragged"), HasSubstr("axis 1"), HasSubstr("has 1"), HasSubstr("has 2")));
    EXPECT_THAT(message_of([] { return array<int, 3>{{{1}, {2}}, {{3}}}; }), HasSubstr("axis 1"));
    const std::vector<float> v(5);
    EXPECT_THAT(message_of([&] {
                    return from_host(std::span(v), {2, 3});
                }),
                AllOf(HasSubstr("5 values"), HasSubstr("(2, 3)"), HasSubstr("6")));
    EXPECT_THAT(message_of([] { return array<float, 1>(shape<1>(-1)); }), HasSubstr("negative"));
    EXPECT_THAT(message_of([] { return array<double, 3>(shape<3>(1 << 30, 1 << 30, 1 << 30)); }),
                HasSubstr("2^63 - 1"));
}

TEST_F(errors, axes_that_a_shape_has_not) {
    const array<float, 2> x({3, 4});
    EXPECT_EQ(x.shape()[-1], 4);
    EXPECT_EQ(x.strides()[-2], 4);
    for (const std::int64_t axis : {2, -3, 8, -9})
        EXPECT_THAT(message_of([&] { return x.shape()[axis]; }),
                    AllOf(HasSubstr("shape: axis " + std::to_string(axis)), HasSubstr("rank 2 are -2 to 1")));
    EXPECT_THAT(message_of([&] { return x.strides()[2]; }), HasSubstr("axis 2 is out of range"));
    EXPECT_THAT(message_of([&] { return (x + 1).shape()[std::size_t(-1)]; }), HasSubstr("out of range"));
    EXPECT_THAT(message_of([&] { return sum(x).shape()[0]; }), HasSubstr("there is no axis 0"));
    EXPECT_THAT(message_of([&] { return geomspace(0, 1, 3); }), HasSubstr("no geometric sequence from 0 to 1"));
    EXPECT_THAT(message_of([&] { return geomspace(-1, 1, 3); }), HasSubstr("of the same sign"));
}

TEST_F(errors, updates_that_change_the_shape) {
    array<float, 2> x(shape<2>(1, 3));
    const array<float, 2> y(shape<2>(4, 3));
    EXPECT_THAT(message_of([&] { x += y; }), AllOf(HasSubstr("(4, 3)"), HasSubstr("(1, 3)")));
}

TEST_F(errors, operands_on_two_devices) {
    static auto* other = new emulate::emulated_device;
    const array<float, 1> here = {1, 2};
    const array<float, 1> there = here.to(device(*other));
    EXPECT_THAT(message_of([&] { return to_host(here + there); }),
                AllOf(HasSubstr("two devices"), HasSubstr(there.storage()->where->name()), HasSubstr("x.to(device)")));
    EXPECT_EQ(to_host(there.to(current_device()) + here), (std::vector<float>{2, 4}));
}

TEST_F(errors, devices_that_are_not_there) {
    EXPECT_THAT(message_of([] { return cuda(cuda_count()); }), HasSubstr("cuda("));
    EXPECT_THROW(cuda(-1), error);
}

/// What a fresh process says of the default device when SINTER_DEVICE is `value`.
int default_device_under(const char* value) {
    setenv("SINTER_DEVICE", value, 1);
    try {
        return current_device().is_host() ? 10 : 11;
    } catch (const error& e) {
        fprintf(stderr, "%s\n", e.what());
        return 12;
    }
}

TEST(errors_of_the_environment, SINTER_DEVICE) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: the device is chosen once
    EXPECT_EXIT(std::exit(default_device_under("host")), testing::ExitedWithCode(10), "");
    EXPECT_EXIT(std::exit(default_device_under("gpu")), testing::ExitedWithCode(12),
                "SINTER_DEVICE=gpu: .*use host, cuda");
    EXPECT_EXIT(std::exit(default_device_under("cuda:x")), testing::ExitedWithCode(12), "SINTER_DEVICE=cuda:x");
    if (cuda_count() == 0) {
        EXPECT_EXIT(std::exit(default_device_under("cuda")), testing::ExitedWithCode(12), "no CUDA device");
    }
}

TEST(errors_of_the_environment, SINTER_FUSION) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto launches_under = [](const char* value) {
        setenv("SINTER_FUSION", value, 1);
        try {
            const device_scope on_host(host());
            const array<float, 1> x = {1, 2, 3};
            return explain(x * x + x).launches;
        } catch (const error& e) {
            fprintf(stderr, "%s\n", e.what());
            return 12;
        }
    };
    EXPECT_EXIT(std::exit(launches_under("off")), testing::ExitedWithCode(2), "");
    EXPECT_EXIT(std::exit(launches_under("on")), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(std::exit(launches_under("")), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(std::exit(launches_under("none")), testing::ExitedWithCode(12), "SINTER_FUSION=none: use on or off");
}

TEST(errors_of_the_environment, SINTER_TUNE) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto tunes_under = [](const char* value) {
        setenv("SINTER_TUNE", value, 1);
        try {
            return current_tuning() ? 11 : 10;
        } catch (const error& e) {
            fprintf(stderr, "%s\n", e.what());
            return 12;
        }
    };
    EXPECT_EXIT(std::exit(tunes_under("1")), testing::ExitedWithCode(11), "");
    EXPECT_EXIT(std::exit(tunes_under("off")), testing::ExitedWithCode(10), "");
    EXPECT_EXIT(std::exit(tunes_under("")), testing::ExitedWithCode(10), "");
    EXPECT_EXIT(std::exit(tunes_under("yes")), testing::ExitedWithCode(12), "SINTER_TUNE=yes: use on or off");
}

}  // namespace
}  // namespace sinter::test
