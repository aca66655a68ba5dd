// Extents whose product overflows 63 bits are refused at creation, or where broadcasting is evaluated; none wraps
// around to another shape.
#include <sinter.hpp>
#include <sinter/dlpack.hpp>
#include <sinter/fft.hpp>
#include <sinter/memory.hpp>
#include <sinter/scatter.hpp>
#include <sinter/sort.hpp>
#include <sinter/tensor_products.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sinter::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::StartsWith;

constexpr std::int64_t half = std::int64_t{1} << 32, large = std::int64_t{1} << 62;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// What begins with the function, and says that the extents are too large.
auto too_large(const char* function) { return AllOf(StartsWith(function), HasSubstr("2^63 - 1")); }

/// A vector of as many elements as asked for, which takes no memory.
auto long_vector(std::int64_t n) { return broadcast_to(array<float, 1>{1.f}, {n}); }

TEST(extents, views_that_make_more_elements) {
    const array<float, 1> x = {1, 2};
    const array<float, 2> m = {{1, 2}};
    EXPECT_THAT(message_of([&] { (void)repeat(long_vector(half), half, axis=0); }),
                AllOf(too_large("repeat: shape (4294967296, 4294967296)"), HasSubstr("4 per element")));
    EXPECT_THAT(message_of([&] { (void)repeat(x, std::numeric_limits<std::int64_t>::max(), axis=0); }),
                too_large("repeat"));
    EXPECT_THAT(message_of([&] { (void)tile(m, {half, half}); }), too_large("tile: shape (4294967296, 1, "));
    EXPECT_THAT(message_of([&] { (void)tile(x, {std::numeric_limits<std::uint64_t>::max()}); }), too_large("tile"));
    EXPECT_THAT(message_of([&] { (void)broadcast_to(x, {half, half, 2}); }), too_large("broadcast_to: shape ("));
    EXPECT_THAT(message_of([&] { (void)broadcast_to(array<float, 1>{1.f}, {-3}); }),
                AllOf(HasSubstr("broadcast_to: shape (-3,)"), HasSubstr("negative extent")));
    EXPECT_THAT(message_of([&] { (void)pad(x, {{large, large}}); }), too_large("pad: "));
    EXPECT_THAT(message_of([&] { (void)pad(m, {{0, half}, {half, 0}}); }), too_large("pad: shape (4294967297, 42949"));
    const auto most = broadcast_to(array<std::int8_t, 1>{1}, {large});
    EXPECT_THAT(message_of([&] { (void)concat(axis=0, most, most); }), too_large("concat: "));
    EXPECT_THAT(message_of([&] { (void)concat(axis=0, most, most, most); }), too_large("concat: "));
    EXPECT_THAT(message_of([&] { (void)stack(axis=0, most, most); }), too_large("stack: shape (2, "));
    EXPECT_EQ(concat(axis=0, long_vector(large / 16), long_vector(large / 16)).shape(), shape<1>(large / 8));
}

TEST(extents, of_products_diagonals_and_counts) {
    const array<float, 1> x = {1, 2};
    EXPECT_THAT(message_of([&] { (void)kron(long_vector(half), long_vector(half)); }),
                too_large("kron: shape (4294967296, 4294967296)"));
    EXPECT_THAT(message_of([&] { (void)diag(x, lowest); }), too_large("diag: 2 and 9223372036854775807"));
    EXPECT_THAT(message_of([&] { (void)topk(x, std::numeric_limits<std::uint64_t>::max()); }),
                StartsWith("topk: 9223372036854775807 elements"));
    EXPECT_THAT(message_of([&] { (void)argtopk(x, std::uint64_t{1} << 63); }), StartsWith("argtopk: 922337203685"));
    EXPECT_EQ(fftfreq(std::numeric_limits<std::int64_t>::max()).shape(),
              shape<1>(std::numeric_limits<std::int64_t>::max()));
}

/// Memory that does not exist is asked for before a kernel is planned, which takes time that grows with the extents
/// where masks along an axis have to be found.
TEST(extents, of_which_there_is_no_memory_are_refused_at_once) {
    const array<float, 1> x = {1, 2};
    const std::int64_t exbi = std::int64_t{1} << 60;
    memory_pool memory;
    const std::size_t limit = memory.limit();
    memory.set_limit(std::size_t{1} << 40);  // AddressSanitizer ends a program that asks the system for as much
    EXPECT_THAT(message_of([&] { const array<float, 1> y = concat(axis=0, long_vector(exbi / 2), x); }),
                HasSubstr("asked for 2.0 EiB"));
    EXPECT_THAT(message_of([&] { const array<float, 1> y = pad(x, {{exbi, 0}}); }), HasSubstr("asked for 4.0 EiB"));
    EXPECT_THAT(message_of([&] { const array<std::complex<float>, 1> y = fft(x, large); }),
                HasSubstr("2^63 - 1 bytes, 8 per element"));
    array<float, 1> y = {5};
    EXPECT_THAT(message_of([&] { y = concat(axis=0, x, long_vector(exbi / 2)); }), HasSubstr("asked for 2.0 EiB"));
    EXPECT_EQ(to_host(y), (std::vector<float>{5}));
    memory.set_limit(limit);
}

TEST(extents, errors_name_the_function_that_was_called) {
    const auto negative = [](const char* function) {
        return AllOf(HasSubstr(std::string(function) + ": shape (-3,)"), HasSubstr("negative extent"));
    };
    EXPECT_THAT(message_of([&] { (void)zeros<float>(-3); }), negative("zeros"));
    EXPECT_THAT(message_of([&] { (void)zeros<float>({-3}); }), negative("zeros"));
    EXPECT_THAT(message_of([&] { (void)ones(shape<1>(-3)); }), negative("ones"));
    EXPECT_THAT(message_of([&] { (void)full({-3}, 2); }), negative("full"));
    EXPECT_THAT(message_of([&] { (void)empty<float>(-3); }), negative("empty"));
    EXPECT_THAT(message_of([&] { (void)zeros({half, half}); }), too_large("zeros: shape (4294967296, 4294967296)"));
    const random_key key(1);
    EXPECT_THAT(message_of([&] { (void)uniform(key, {-3}); }), negative("uniform"));
    EXPECT_THAT(message_of([&] { (void)normal(key, {-3}); }), negative("normal"));
    EXPECT_THAT(message_of([&] { (void)integers(key, 0, 9, {-3}); }), negative("integers"));
    EXPECT_THAT(message_of([&] { (void)bernoulli(key, 0.5, {-3}); }), negative("bernoulli"));
}

TEST(extents, reshapes) {
    const array<float, 1> x = {1, 2, 3, 4}, none = {};
    EXPECT_THAT(message_of([&] { (void)reshape(none, {half, half}); }), HasSubstr("cannot become"));  // 2^64 is 0
    EXPECT_THAT(message_of([&] { (void)reshape(x, {half, half + 4}); }), HasSubstr("cannot become"));
    EXPECT_THAT(message_of([&] { (void)reshape(x, {half, half, -1}); }), HasSubstr("cannot become"));
    EXPECT_THAT(message_of([&] { (void)reshape(x, {-2, -2}); }), HasSubstr("cannot become (-2, -2)"));
    EXPECT_THAT(message_of([&] { (void)reshape(x, {std::numeric_limits<std::uint64_t>::max()}); }),
                HasSubstr("cannot become"));  // is not -1
    EXPECT_THAT(message_of([&] { (void)reshape(x, {-1, -1}); }), HasSubstr("(-1, -1)"));
    EXPECT_THAT(message_of([&] { (void)reshape(none, {0, -1}); }), HasSubstr("(0, -1)"));
    EXPECT_EQ(reshape(none, {3, -1}).shape(), shape<2>(3, 0));
    EXPECT_EQ(reshape(x, {2, -1}).shape(), shape<2>(2, 2));
}

TEST(extents, broadcasting_is_refused_when_it_is_evaluated) {
    const auto column = reshape(long_vector(half), {half, 1}), row = reshape(long_vector(half), {1, half});
    const auto e = column * row;
    EXPECT_EQ(e.shape(), shape<2>(half, half));
    EXPECT_THAT(message_of([&] { (void)e.size(); }), too_large("size: shape (4294967296, 4294967296)"));
    EXPECT_THAT(message_of([&] { const array<float, 2> y = e; }),
                too_large("multiply: shape (4294967296, 4294967296)"));
    EXPECT_THAT(message_of([&] { (void)item(sum(e)); }), too_large("multiply: shape"));
    EXPECT_THAT(message_of([&] { (void)explain(e); }), too_large("multiply: shape"));
    EXPECT_THAT(message_of([&] { (void)item(max(e)); }), too_large("size: shape"));
    EXPECT_THAT(message_of([&] { (void)item(mean(e)); }), too_large("mean: shape"));
    EXPECT_THAT(message_of([&] { (void)argmax(e); }), too_large("size: shape"));
    EXPECT_THAT(message_of([&] { (void)ravel(e); }), too_large("reshape: shape"));
    EXPECT_THAT(message_of([&] { (void)item(sum(outer(long_vector(half), long_vector(half)))); }),
                too_large("multiply: shape"));
    EXPECT_THAT(message_of([&] { (void)item(sum(bincount(arange<int>(3), half * (half / 4)))); }),
                too_large("bincount: shape"));
}

TEST(extents, ranges_without_a_count) {
    EXPECT_THAT(message_of([] { (void)arange(0.0, inf, 1.0); }), StartsWith("arange: from 0 to inf in steps of 1 "));
    EXPECT_THAT(message_of([] { (void)arange(0.0, 1.0, nan); }), HasSubstr("in steps of nan"));
    EXPECT_THAT(message_of([] { (void)arange(nan, 1.0); }), HasSubstr("from nan to 1"));
    EXPECT_THAT(message_of([] { (void)arange(1e30); }), HasSubstr("from 0 to 1e+30"));
    EXPECT_THAT(message_of([] { (void)arange(0.f, 1.f, 1e-30f); }), StartsWith("arange: "));
    EXPECT_THAT(message_of([] { (void)arange(std::complex<double>(inf, 0)); }), StartsWith("arange: "));
    EXPECT_THAT(message_of([] { (void)arange(std::numeric_limits<std::uint64_t>::max()); }), StartsWith("arange: "));
    EXPECT_THAT(message_of([] { (void)arange(lowest, std::numeric_limits<std::int64_t>::max()); }),
                StartsWith("arange: "));
    EXPECT_EQ(arange(0.0, -inf, 1.0).shape(), shape<1>(0));
    EXPECT_EQ(to_host(arange(std::int64_t{0}, lowest, lowest)), (std::vector<std::int64_t>{0}));
    EXPECT_THAT(message_of([] { (void)linspace(0.0, 1.0, large); }), too_large("linspace: shape"));
    EXPECT_THAT(message_of([] { (void)logspace(0.0, 1.0, large); }), too_large("logspace: shape"));
    EXPECT_THAT(message_of([] { (void)linspace(0.0, 1.0, lowest); }), HasSubstr("elements are not possible"));
    EXPECT_THAT(message_of([] { (void)eye<float>(half); }), too_large("eye: shape (4294967296, 4294967296)"));
    EXPECT_THAT(message_of([] { (void)tri<float>(half, half); }), too_large("tri: shape"));
    EXPECT_THAT(message_of([] { (void)uniform(random_key(1), {half, half}); }), HasSubstr("2^63 - 1"));
    EXPECT_THAT(message_of([] { (void)zeros<float>({half, half}); }), HasSubstr("2^63 - 1"));
    EXPECT_THAT(message_of([] { (void)full({half, half}, 1); }), HasSubstr("2^63 - 1"));
}

TEST(extents, arrays_and_memory_from_outside) {
    // Extents of 0 do not hide the others, whose products are strides.
    EXPECT_THAT(message_of([] { (void)empty<float>({half, half, 0}); }), too_large("empty: shape"));
    EXPECT_THAT(message_of([] { (void)empty<float>({0, half, half}); }), too_large("empty: shape"));
    EXPECT_THAT(message_of([] { (void)empty<float>({std::numeric_limits<std::uint64_t>::max()}); }),
                too_large("empty: shape"));
    float one[1] = {1};
    EXPECT_THAT(message_of([&] { (void)wrap(one, {half, half}); }), too_large("wrap: shape"));
    EXPECT_THAT(message_of([&] { (void)wrap(one, {half, half, 0}); }), too_large("wrap: shape"));
    EXPECT_THAT(message_of([&] { (void)wrap(one, {2, 2}, {lowest, 1}); }), too_large("wrap: shape"));
    const std::vector<float> values(4);
    EXPECT_THAT(message_of([&] { (void)from_host(values, {half, half + 4}); }), HasSubstr("2^63 - 1"));
    EXPECT_THAT(message_of([&] { (void)from_host(values, {-2, -2}); }), HasSubstr("negative extent"));
    std::vector<float> more(4);
    EXPECT_THAT(message_of([&] { (void)wrap(more, {half, half + 4}); }), HasSubstr("2^63 - 1"));

    std::int64_t extents[] = {half, half};
    DLManagedTensor tensor{};
    tensor.dl_tensor = {one, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, extents, nullptr, 0};
    EXPECT_THAT(message_of([&] { (void)from_dlpack<float, 2>(&tensor); }), too_large("wrap: shape"));
    tensor.dl_tensor.shape = nullptr;
    EXPECT_THAT(message_of([&] { (void)from_dlpack<float, 2>(&tensor); }), HasSubstr("has no shape"));
}

TEST(extents, numbers_that_int_does_not_hold_are_not_cut) {
    const array<float, 2> m = {{1, 2}, {3, 4}};
    EXPECT_THAT(message_of([&] { (void)sum(m, axis=half); }), StartsWith("sum: axis="));
    EXPECT_THAT(message_of([&] { (void)sum(m, axis={half, std::int64_t{1}}); }), StartsWith("sum: axis="));
    EXPECT_THAT(message_of([&] { (void)permute(m, {half, half + 1}); }), StartsWith("permute: "));
    EXPECT_THAT(message_of([&] { (void)m(std::numeric_limits<std::uint64_t>::max(), 0); }), HasSubstr("out of range"));
    EXPECT_EQ(diagonal(m, lowest).shape(), shape<1>(0));
    EXPECT_EQ(to_host(m(0, range(0, end, std::numeric_limits<std::int64_t>::max()))), (std::vector<float>{1}));
    EXPECT_EQ(to_host(m(1, range(-1, end, lowest))), (std::vector<float>{4}));
    EXPECT_EQ(to_host(roll(m, lowest, axis=1)), (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace sinter::test
