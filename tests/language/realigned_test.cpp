// Rolls, joins, margins and channels whose elements do not line up with the results: odd shifts, widths, lengths and
// strides, in every size of elements, against plain loops.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <random>

namespace sinter::test {
namespace {

template <class T>
class realigned : public on_devices {
protected:
    using matrix = array<T, 2>;

    std::int64_t between(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }
    /// Small integers: every dtype has them and their sums.
    naive numbers(std::int64_t rows, std::int64_t columns) {
        naive x({rows, columns});
        for (double& v : x.values) v = static_cast<double>(between(0, 5));
        return x;
    }
    /// More elements than the emulated device has threads; rows of whole accesses and others.
    std::int64_t some_columns() { return between(0, 2) == 0 ? between(70, 300) : 16 * between(5, 20); }
    std::int64_t some_rows() { return between(17, 24); }
    static int rounds() { return emulated() ? 4 : 25; }

    template <class F>
    static naive by_place(std::int64_t rows, std::int64_t columns, F f) {
        naive result({rows, columns});
        for_each_index(result.shape, [&](const index& at) { result[at] = f(at[0], at[1]); });
        return result;
    }

private:
    std::mt19937 random_{5};
};

using elements = testing::Types<std::uint8_t, std::int8_t, float8_e4m3, float16, bfloat16, std::int16_t, std::int32_t,
                                float, double>;
TYPED_TEST_SUITE(realigned, elements);

/// Rows that begin at any element, beside a broadcast operand: aligned for fewer bytes than the widest access has.
TYPED_TEST(realigned, rows_of_unaligned_memory) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->some_rows(), columns = this->between(3, 9);
        const std::int64_t first = round < 5 ? std::int64_t{1} << round : this->between(0, 40);
        const naive all = this->numbers(1, first + rows * columns), row = this->numbers(1, columns);
        const auto a = to_array<TypeParam, 2>(all);
        const auto v = to_array<double, 2>(row);
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " from " << first);
        expect_equal(astype<double>(reshape(a(0, range(first, end)), {rows, columns})) + v,
                     this->by_place(rows, columns, [&](auto i, auto j) {
                         return all[{0, first + i * columns + j}] + row[{0, j}];
                     }));
    }
}

TYPED_TEST(realigned, rolls) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->some_rows(), columns = this->some_columns();
        const std::int64_t down = this->between(1, rows - 1), along = this->between(-columns, columns);
        const naive x = this->numbers(rows, columns);
        const auto a = to_array<TypeParam, 2>(x);
        const auto rolled = [&](std::int64_t i, std::int64_t j, std::int64_t by) {
            return x[{i, (j - by + 2 * columns) % columns}];
        };
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " by " << along);
        expect_equal(roll(a, along, axis=1) + TypeParam(0),
                     this->by_place(rows, columns, [&](auto i, auto j) { return rolled(i, j, along); }));
        expect_equal(roll(a, 1, axis=1) + roll(a, -1, axis=1) + roll(roll(a, down, axis=0), along, axis=1),
                     this->by_place(rows, columns, [&](auto i, auto j) {
                         return rolled(i, j, 1) + rolled(i, j, -1) + rolled((i - down + rows) % rows, j, along);
                     }));
    }
}

TYPED_TEST(realigned, parts) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->some_rows(), columns = this->some_columns();
        const std::int64_t first = this->between(0, columns), second = this->between(0, columns - first);
        const naive x = this->numbers(rows, first), y = this->numbers(rows, second),
                    z = this->numbers(rows, columns - first - second);
        const auto a = to_array<TypeParam, 2>(x), b = to_array<TypeParam, 2>(y), c = to_array<TypeParam, 2>(z);
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " of " << first << " and " << second);
        expect_equal(concat(a, b, c, axis=1), this->by_place(rows, columns, [&](auto i, auto j) {
            if (j < first) return x[{i, j}];
            return j < first + second ? y[{i, j - first}] : z[{i, j - first - second}];
        }));
    }
}

TYPED_TEST(realigned, margins) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->some_rows(), columns = this->some_columns();
        const std::int64_t above = this->between(0, 3), before = this->between(0, 20), after = this->between(0, 20);
        const std::int64_t own = columns - before - after;
        const naive x = this->numbers(rows, own);
        const auto a = to_array<TypeParam, 2>(x);
        SCOPED_TRACE(testing::Message() << rows << " x " << own << " between " << before << " and " << after);
        const naive padded = this->by_place(rows + above, columns, [&](auto i, auto j) {
            return i < above || j < before || j >= before + own ? 7 : x[{i - above, j - before}];
        });
        expect_equal(pad(a, {{above, 0}, {before, after}}, TypeParam(7)), padded);
    }
}

// Along the axis of a stack an access is within one operand and loads no other, at whatever element that one begins.
TYPED_TEST(realigned, operands_of_other_rows) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->some_rows(), columns = this->some_columns(), by = this->between(1, columns - 1);
        const naive x = this->numbers(rows, columns), y = this->numbers(rows, columns);
        const auto a = to_array<TypeParam, 2>(x), b = to_array<TypeParam, 2>(y);
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " by " << by);
        expect_equal(concat(a, roll(b, by, axis=1), a + b, axis=0),
                     this->by_place(3 * rows, columns, [&](auto i, auto j) {
                         const index at = {i % rows, j}, from = {i % rows, (j - by + columns) % columns};
                         return i < rows ? x[at] : i < 2 * rows ? y[from] : x[at] + y[at];
                     }));
        const auto below = arange(rows)(all, newaxis) < std::int64_t{5};
        expect_equal(where(below, a, b) + where(below, b, TypeParam(1)),
                     this->by_place(rows, columns, [&](auto i, auto j) {
                         return i < 5 ? x[{i, j}] + y[{i, j}] : y[{i, j}] + 1;
                     }));
    }
}

// Channels of pixels, all of them or some; every other element of a row: of 8191, whole blocks lack the last one.
TYPED_TEST(realigned, interleaved) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t channels = this->between(2, 9), pixels = this->some_columns() * 20;
        const std::int64_t one = this->between(0, channels - 1), other = this->between(0, channels - 1);
        const naive x = this->numbers(pixels, channels), y = this->numbers(1, round % 2 == 0 ? 8191 : pixels);
        const auto a = to_array<TypeParam, 2>(x), b = to_array<TypeParam, 2>(y);
        SCOPED_TRACE(testing::Message() << pixels << " pixels of " << channels << ": " << one << " and " << other);
        naive sum(index{pixels}), even(index{(y.shape[1] + 1) / 2}), odd(index{y.shape[1] / 2});
        for (std::int64_t i = 0; i < pixels; ++i) sum[{i}] = x[{i, one}] + x[{i, other}];
        for (std::int64_t i = 0; i < even.shape[0]; ++i) even[{i}] = y[{0, 2 * i}];
        for (std::int64_t i = 0; i < odd.shape[0]; ++i) odd[{i}] = y[{0, 2 * i + 1}];
        expect_equal(a(all, one) + a(all, other), sum);
        expect_equal(b(0, range(0, end, 2)) + TypeParam(0), even);
        expect_equal(b(0, range(1, end, 2)) + TypeParam(0), odd);
    }
}

// Threads fold neighbouring columns: the index of a gather is the same for a column, or differs from step to step.
TYPED_TEST(realigned, columns) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t rows = this->between(6, 9), steps = this->between(2, 9);
        const std::int64_t columns = 32 * this->between(4, 12), by = this->between(1, rows - 1);
        const naive x = this->numbers(rows * steps, columns), y = this->numbers(2 * rows * steps, columns);
        const auto a = reshape(to_array<TypeParam, 2>(x), {rows, steps, columns});
        const auto b = reshape(to_array<TypeParam, 2>(y), {2 * rows, steps, columns});
        SCOPED_TRACE(testing::Message() << rows << " x " << steps << " x " << columns << " by " << by);
        /// The greatest sum of y and x at another place, over the steps.
        const auto most = [&](std::int64_t planes, auto place) {
            return this->by_place(planes, columns, [&](auto i, auto j) {
                double greatest = 0;
                for (std::int64_t k = 0; k < steps; ++k)
                    greatest = std::max(greatest, y[{i * steps + k, j}] + x[place(i, k, j)]);
                return greatest;
            });
        };
        const auto first = b(range(0, rows), all, all);
        const std::int64_t half = columns / 2;
        expect_equal(max(first + roll(a, by, axis=0), axis=1), most(rows, [&](auto i, auto k, auto j) {
                         return index{(i - by + rows) % rows * steps + k, j};
                     }));
        expect_equal(max(first + roll(a, 1, axis=1), axis=1), most(rows, [&](auto i, auto k, auto j) {
                         return index{i * steps + (k - 1 + steps) % steps, j};
                     }));
        expect_equal(
            max(first + concat(a(all, all, range(half, columns)), a(all, all, range(0, half)), axis=2), axis=1),
            most(rows, [&](auto i, auto k, auto j) {
                return index{i * steps + k, (j + half) % columns};
            }));
        expect_equal(max(b + concat(a, a, axis=0), axis=1), most(2 * rows, [&](auto i, auto k, auto j) {
                         return index{i % rows * steps + k, j};
                     }));
        expect_equal(max(b + repeat(a, 2, axis=0), axis=1), most(2 * rows, [&](auto i, auto k, auto j) {
                         return index{i / 2 * steps + k, j};
                     }));
    }
}

// A view begins at any element of its array, and elements follow it that are not its own.
TYPED_TEST(realigned, views) {
    for (int round = 0; round < this->rounds(); ++round) {
        const std::int64_t n = 16 * this->between(80, 150), skipped = this->between(0, 20), by = this->between(1, 40);
        const naive x = this->numbers(1, n + skipped);
        const auto a = reshape(to_array<TypeParam, 2>(x), {n + skipped});
        const array<TypeParam, 1> whole = a;
        const auto view = whole(range(skipped, end));
        SCOPED_TRACE(testing::Message() << n << " from " << skipped << " by " << by);
        naive expected(index{n}), joined(index{n + skipped + n});
        for (std::int64_t i = 0; i < n; ++i) expected[{i}] = x[{0, skipped + (i - by + n) % n}];
        for (std::int64_t i = 0; i < n + skipped + n; ++i) joined[{i}] = i < n ? x[{0, skipped + i}] : x[{0, i - n}];
        expect_equal(roll(view, by, axis=0) + TypeParam(0), expected);
        expect_equal(concat(view, whole, axis=0), joined);
        expect_equal(roll(flip(view, axis=0), by, axis=0) + TypeParam(0), [&] {
            naive flipped(index{n});
            for (std::int64_t i = 0; i < n; ++i) flipped[{i}] = x[{0, skipped + n - 1 - (i - by + n) % n}];
            return flipped;
        }());
    }
}

}  // namespace
}  // namespace sinter::test
