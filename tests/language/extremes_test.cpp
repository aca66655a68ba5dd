// argmin and argmax: every dtype and axis, rows that several blocks share, ties, zeros and NaN, and together with the
// extremes themselves in one pass.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

namespace sinter::test {
namespace {

class extremes : public on_devices {};

/// The position of the first of the greatest, or of the smallest, as NumPy has it: a NaN is both.
template <class T>
std::int64_t first_extreme(const std::vector<T>& x, bool greatest) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
        if (x[best] != x[best]) break;
        if (x[i] != x[i] || (greatest ? x[i] > x[best] : x[i] < x[best])) best = i;
    }
    return static_cast<std::int64_t>(best);
}

/// Elements of any size, few enough of them to be met again.
template <class T>
std::vector<T> elements(std::size_t n, unsigned seed) {
    std::vector<T> some = {T(0), T(1), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
    if constexpr (std::is_floating_point_v<T>) {
        some.insert(some.end(), {-T(0), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                                 std::numeric_limits<T>::denorm_min(), std::nextafter(T(1), T(2))});
    } else if constexpr (!std::is_same_v<T, bool>) {
        some.insert(some.end(), {T(std::numeric_limits<T>::max() - 1), T(std::numeric_limits<T>::lowest() + 1), T(7)});
    }
    std::mt19937 random(seed);
    const std::size_t kinds = 1 + random() % some.size();  // the greatest of all is not always there
    std::shuffle(some.begin(), some.end(), random);
    std::vector<T> x(n);
    for (auto&& e : x) e = some[random() % kinds];
    return x;
}

/// Of an array of three axes: the lines along one of them, in row-major order of the others.
template <class T>
std::vector<std::vector<T>> lines(const std::vector<T>& x, const index& shape, int axis) {
    std::vector<std::vector<T>> all;
    index others = shape;
    others[static_cast<std::size_t>(axis)] = 1;
    for_each_index(others, [&](index at) {
        std::vector<T>& line = all.emplace_back();
        for (std::int64_t i = 0; i < shape[static_cast<std::size_t>(axis)]; ++i) {
            at[static_cast<std::size_t>(axis)] = i;
            line.push_back(x[static_cast<std::size_t>(position(shape, at))]);
        }
    });
    return all;
}

template <class T>
void expect_along_all_axes(const std::vector<T>& values, const index& s) {
    const std::unique_ptr<T[]> plain(new T[values.size()]);  // of bools a vector has none
    std::copy(values.begin(), values.end(), plain.get());
    const auto x = from_host(std::span<const T>(plain.get(), values.size()), shape<3>(s[0], s[1], s[2]));
    for (int axis_tested = 0; axis_tested < 3; ++axis_tested) {
        SCOPED_TRACE("axis " + std::to_string(axis_tested));
        std::vector<std::int64_t> greatest, smallest;
        for (const std::vector<T>& line : lines(values, s, axis_tested)) {
            greatest.push_back(first_extreme(line, true));
            smallest.push_back(first_extreme(line, false));
        }
        EXPECT_EQ(to_host(argmax(x, axis=axis_tested)), greatest);
        EXPECT_EQ(to_host(argmin(x, axis=axis_tested)), smallest);
    }
    EXPECT_EQ(item(argmax(x)), first_extreme(values, true));
    EXPECT_EQ(item(argmin(x)), first_extreme(values, false));
}

template <class T>
void expect_of_every_shape(unsigned seed) {
    for (const index& s : {index{5, 37, 9}, index{2, 1, 3001}, index{1500, 1, 3}, index{2, 301, 33}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        expect_along_all_axes(elements<T>(static_cast<std::size_t>(count(s)), ++seed), s);
    }
}

TEST_F(extremes, of_floats) {
    expect_of_every_shape<float>(800);
    expect_of_every_shape<double>(810);
}

TEST_F(extremes, of_integers) {
    expect_of_every_shape<bool>(820);
    expect_of_every_shape<std::int8_t>(830);
    expect_of_every_shape<std::uint16_t>(840);
    expect_of_every_shape<std::int32_t>(850);
    expect_of_every_shape<std::uint32_t>(860);
    expect_of_every_shape<std::int64_t>(870);
    expect_of_every_shape<std::uint64_t>(880);
}

TEST_F(extremes, of_nan_wherever_it_is) {
    for (const std::int64_t at : {0, 63, 1001, 1499}) {
        std::vector<float> values(1500, 1);
        for (const std::int64_t other : {at, at + (1499 - at) / 2, std::int64_t{1499}})
            values[static_cast<std::size_t>(other)] = (other & 1) != 0 ? std::nanf("") : -std::nanf("");
        const auto x = from_host(std::span<const float>(values), shape<1>(1500));
        EXPECT_EQ(item(argmax(x)), at);
        EXPECT_EQ(item(argmin(x)), at);
        EXPECT_EQ(to_host(argmin(broadcast_to(reshape(x, {1500, 1}), {1500, 3}), axis=0)),
                  std::vector<std::int64_t>(3, at));
    }
}

TEST_F(extremes, of_halves_are_told_apart_as_they_are_computed) {
    const naive a = random({3, 700}, 890);
    const auto x = to_array<float16, 2>(a);
    const array<float, 2> wide = astype<float>(x);
    EXPECT_EQ(to_host(argmax(x, axis=1)), to_host(argmax(wide, axis=1)));
    EXPECT_EQ(to_host(argmin(x, axis=0)), to_host(argmin(wide, axis=0)));
}

TEST_F(extremes, and_their_indices_are_one_pass) {
    using namespace sinter::literals;
    const naive a = random({90, 260}, 891);
    const auto x = to_array<float, 2>(a);
    const auto all_of = [&](auto k) {
        return pack(max(x, axis=k), argmax(x, axis=k), min(x, axis=k), argmin(x, axis=k));
    };
    static_assert(launches<decltype(all_of(0_c))> == 1 && launches<decltype(all_of(1_c))> == 1);
    array<float, 1> most, least;
    array<std::int64_t, 1> at_most, at_least;
    for (int k = 0; k < 2; ++k) {
        const auto both = all_of(k);
        tie(most, at_most, least, at_least) = both;
        expect_equal(most, max_of(a, 1u << k));
        expect_equal(least, min_of(a, 1u << k));
        expect_equal(take_along_axis(x, reshape(at_most, k == 0 ? shape<2>(1, 260) : shape<2>(90, 1)), axis=k),
                     max_of(a, 1u << k, true));
        expect_equal(take_along_axis(x, reshape(at_least, k == 0 ? shape<2>(1, 260) : shape<2>(90, 1)), axis=k),
                     min_of(a, 1u << k, true));
        EXPECT_EQ(source(both).find("fold_1"), std::string::npos) << "x is read twice:\n" << source(both);
        EXPECT_EQ(source(argmax(exp(x), axis=k)).find("fold_1"), std::string::npos);
    }
}

TEST_F(extremes, of_what_is_computed_and_reduced_again) {
    const naive a = random({61, 45}, 892), c = random({23, 45}, 893);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(c);
    naive nearest(index{61});
    for (std::int64_t i = 0; i < 61; ++i) {
        double best = infinity;
        for (std::int64_t j = 0; j < 23; ++j) {
            double apart = 0;
            for (std::int64_t d = 0; d < 45; ++d) apart += (a[{i, d}] - c[{j, d}]) * (a[{i, d}] - c[{j, d}]);
            if (apart < best) nearest[{i}] = static_cast<double>(j);
            best = std::min(best, apart);
        }
    }
    expect_equal(argmin(sum(square(x(all, newaxis, all) - y), axis=2), axis=1), nearest);
    const naive sums = sum_of(a, 2);
    const auto most =
        static_cast<std::int64_t>(std::max_element(sums.values.begin(), sums.values.end()) - sums.values.begin());
    EXPECT_EQ(item(argmax(sum(x, axis=1))), most);
    expect_equal(sum(argmax(x, axis=1)),
                 sum_of(map([](double v) { return v; },
                            [&] {
                                naive at(index{61});
                                for (std::int64_t i = 0; i < 61; ++i) {
                                    const auto row = a.values.begin() + i * 45;
                                    at[{i}] = static_cast<double>(std::max_element(row, row + 45) - row);
                                }
                                return at;
                            }()),
                        1));
}

}  // namespace
}  // namespace sinter::test
