// Interleaved channels that become planes, and planes that become interleaved channels; parts that are joined: random
// extents and numbers of channels, parts of arrays, reversed and misaligned views, in every size of elements, against
// plain loops.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <limits>
#include <random>

namespace sinter::test {
namespace {

template <class T>
class channels : public on_devices {
protected:
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }
    naive numbers(const index& shape) {
        naive x(shape);
        for (double& v : x.values) v = static_cast<double>(between(0, 3));
        return x;
    }
    /// More pixels than the emulated device has threads; of whole accesses and others.
    std::int64_t some_pixels() { return between(0, 2) == 0 ? between(4200, 4500) : 16 * between(260, 300); }
    static int rounds() { return emulated() ? 3 : 12; }

private:
    std::mt19937 random_{11};
};

using elements = testing::Types<std::uint8_t, float8_e4m3, float16, std::int32_t, float, double>;
TYPED_TEST_SUITE(channels, elements);

TYPED_TEST(channels, to_planes_and_back) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t images = this->between(1, 3), pixels = this->some_pixels(), count = this->between(2, 8);
        const naive x = this->numbers({images, pixels, count}), m = this->numbers({count});
        const auto a = to_array<TypeParam, 3>(x);
        const auto b = to_array<float, 1>(m);
        SCOPED_TRACE(testing::Message() << images << " x " << pixels << " x " << count);
        naive planes({images, count, pixels}), back({images, pixels, count});
        for_each_index(planes.shape, [&](const index& at) { planes[at] = 2 * x[{at[0], at[2], at[1]}] - m[{at[1]}]; });
        for_each_index(back.shape, [&](const index& at) { back[at] = planes[{at[0], at[2], at[1]}] + x[at]; });
        const array<float, 3> made = 2.f * astype<float>(moveaxis(a, 2, 1)) - b(all, newaxis);
        expect_equal(made, planes);
        expect_equal(moveaxis(made, 1, 2) + astype<float>(a), back);
    }
}

// Some of the channels, in their order and reversed, of images of which a border is left out.
TYPED_TEST(channels, parts_of_images) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->between(40, 50), columns = 16 * this->between(6, 8) + this->between(0, 1);
        const std::int64_t count = this->between(2, 5), border = this->between(0, 4);
        const naive x = this->numbers({rows, columns, count});
        const auto a = to_array<TypeParam, 3>(x);
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << count << " within " << border);
        const auto inside = a(range(border, end), range(border, end), all);
        naive forwards({count, rows - border, columns - border}), backwards(forwards.shape), some(forwards.shape);
        some.shape[0] = count - 1;
        some.values.resize(static_cast<std::size_t>((count - 1) * some.shape[1] * some.shape[2]));
        for_each_index(forwards.shape, [&](const index& at) {
            forwards[at] = x[{at[1] + border, at[2] + border, at[0]}] + 1;
            backwards[at] = x[{at[1] + border, columns - 1 - at[2], count - 1 - at[0]}] + 1;
        });
        for_each_index(some.shape, [&](const index& at) {
            some[at] = x[{at[1] + border, at[2] + border, at[0] + 1}] + 1;
        });
        expect_equal(moveaxis(inside, 2, 0) + TypeParam(1), forwards);
        expect_equal(moveaxis(flip(flip(inside, axis=2), axis=1), 2, 0) + TypeParam(1), backwards);
        expect_equal(moveaxis(inside(all, all, range(1, end)), 2, 0) + TypeParam(1), some);
    }
}

// Results of several arrays become pixels, and the sum and difference of two channels planes.
TYPED_TEST(channels, stacks) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t pixels = this->some_pixels() * 2, skipped = this->between(0, 3);
        const naive x = this->numbers({pixels + skipped}), y = this->numbers({pixels}), z = this->numbers({pixels, 2});
        const array<TypeParam, 1> whole = to_array<TypeParam, 1>(x), b = to_array<TypeParam, 1>(y);
        const auto a = whole(range(skipped, end));
        const auto c = to_array<TypeParam, 2>(z);
        SCOPED_TRACE(testing::Message() << pixels << " after " << skipped);
        naive stacked({pixels, 3}), planes({2, pixels});
        for (std::int64_t i = 0; i < pixels; ++i) {
            const double one = x[{i + skipped}], other = y[{i}];
            stacked[{i, 0}] = one + other;
            stacked[{i, 1}] = 2 * one;
            stacked[{i, 2}] = one * other;
            planes[{0, i}] = z[{i, 0}] + z[{i, 1}];
            planes[{1, i}] = 2 * z[{i, 0}] + z[{i, 1}];
        }
        expect_equal(stack(a + b, TypeParam(2) * a, a * b, axis=1), stacked);
        expect_equal(stack(c(all, 0) + c(all, 1), TypeParam(2) * c(all, 0) + c(all, 1), axis=0), planes);
    }
}

// A thread has all parts of a join that are equally long; others are computed part by part.
TYPED_TEST(channels, joins) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->between(520, 600), length = 8 * this->between(2, 6) + this->between(0, 1);
        const std::int64_t more = round % 3 == 0 ? 8 : round % 3 == 1 ? length : 0;
        const naive x = this->numbers({rows, 2 * length}), y = this->numbers({rows, length}),
                    z = this->numbers({rows, length + more});
        const auto a = to_array<TypeParam, 2>(x), b = to_array<TypeParam, 2>(y), c = to_array<TypeParam, 2>(z);
        SCOPED_TRACE(testing::Message() << rows << " rows of " << length << ", the last of " << length + more);
        const auto first = a(all, range(0, length)), second = a(all, range(length, end));
        naive two({rows, 2 * length}), three({rows, 3 * length + more}), below({3 * rows, length});
        for_each_index(two.shape, [&](const index& at) {
            const std::int64_t j = at[1] % length;
            two[at] = at[1] < length ? x[{at[0], j}] + y[{at[0], j}] : x[{at[0], j + length}] + 2 * y[{at[0], j}];
        });
        for_each_index(three.shape, [&](const index& at) {
            const std::int64_t part = std::min<std::int64_t>(at[1] / length, 2), j = at[1] - part * length;
            three[at] = part == 0   ? x[{at[0], j + length}]
                        : part == 1 ? x[{at[0], j}] + y[{at[0], j}]
                                    : 2 * z[{at[0], j}];
        });
        for_each_index(below.shape, [&](const index& at) {
            const index row = {at[0] % rows, at[1]};
            below[at] = at[0] < rows ? y[row] : at[0] < 2 * rows ? x[row] : x[row] + y[row];
        });
        expect_equal(concat(first + b, second + TypeParam(2) * b, axis=1), two);
        expect_equal(concat(second, first + b, TypeParam(2) * c, axis=1), three);
        expect_equal(concat(b, first, first + b, axis=0), below);
    }
}

// Parts whose elements take turns along an axis, and elements that are repeated.
TYPED_TEST(channels, turns) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->between(50, 60), columns = 8 * this->between(10, 14) + round % 2;
        const naive x = this->numbers({rows, columns}), y = this->numbers({rows, columns});
        const auto a = to_array<TypeParam, 2>(x), b = to_array<TypeParam, 2>(y);
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        naive two({rows, 2 * columns}), three({rows, 3 * columns}), twice({rows, 2 * columns});
        for_each_index(two.shape, [&](const index& at) {
            const index from = {at[0], at[1] / 2};
            two[at] = at[1] % 2 == 0 ? x[from] + y[from] : 2 * x[from];
            twice[at] = x[from] + static_cast<double>(at[1] % 2);
        });
        for_each_index(three.shape, [&](const index& at) {
            const index from = {at[0], at[1] / 3};
            three[at] = at[1] % 3 == 0 ? y[from] : at[1] % 3 == 1 ? x[from] : x[from] + y[from];
        });
        expect_equal(reshape(stack(a + b, TypeParam(2) * a, axis=2), {rows, 2 * columns}), two);
        expect_equal(reshape(stack(b, a, a + b, axis=2), {rows, 3 * columns}), three);
        expect_equal(repeat(a, 2, axis=1) + astype<TypeParam>(arange(2 * columns) % std::int64_t{2}), twice);
    }
}

// Three channels of pixels that have four: the other one stays.
TYPED_TEST(channels, stores_to_some) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t pixels = this->some_pixels();
        const naive x = this->numbers({3, pixels});
        naive made = this->numbers({pixels, 4});
        array<TypeParam, 2> y = to_array<TypeParam, 2>(made);
        y(all, range(0, 3)) = transpose(to_array<TypeParam, 2>(x)) + TypeParam(1);
        for_each_index(x.shape, [&](const index& at) { made[{at[1], at[0]}] = x[at] + 1; });
        expect_equal(y, made);
    }
}

TEST(channels_of_floats, nan_and_infinity_stay_in_their_channels) {
    const auto d = test_device();
    if (!d) GTEST_SKIP() << "there is no such CUDA device";
    const device_scope scope(*d);
    naive x({4800, 3}), planes({3, 4800});
    for_each_index(x.shape, [&](const index& at) {
        x[at] = (at[0] + at[1]) % 7 == 0   ? std::numeric_limits<double>::quiet_NaN()
                : (at[0] + at[1]) % 5 == 0 ? std::numeric_limits<double>::infinity()
                                           : static_cast<double>(at[0] % 100);
        planes[{at[1], at[0]}] = x[at] + 1;
    });
    expect_equal(transpose(to_array<float, 2>(x)) + 1.f, planes);
}

}  // namespace
}  // namespace sinter::test
