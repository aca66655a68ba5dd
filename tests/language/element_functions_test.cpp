// What surrounds a function of whole arrays is computed by the function's own kernels: the results are those of the
// unfused execution, bit for bit, whatever the expressions, shapes, dtypes, views and destinations.
#include <sinter/debug.hpp>
#include <sinter/fft.hpp>
#include <sinter/histogram.hpp>
#include <sinter/random.hpp>
#include <sinter/sort.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <complex>
#include <cstring>
#include <random>
#include <source_location>

namespace sinter::test {
namespace {

using testing::HasSubstr;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

class element_functions : public on_devices {};

template <class T>
std::vector<T> numbers(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> part(-1, 1);
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& x : all) {
        if constexpr (std::is_same_v<T, c64> || std::is_same_v<T, c128>)
            x = {part(random), part(random)};
        else
            x = static_cast<T>(part(random));
    }
    return all;
}

template <class T, int Rank>
array<T, Rank> random_array(const shape<Rank>& extents, unsigned seed) {
    const auto values = numbers<T>(extents.size(), seed);
    return from_host(std::span<const T>(values), extents);
}

/// Launches on the emulated device since it was made.
int launched() { return static_cast<emulate::emulated_device&>(current_device().get()).launches(); }

/// Evaluates what `make` returns with and without fusion. The emulated device's kernels must give the same bits; a GPU
/// may contract a product with a sum across the two. There, `launches` are counted, if given.
template <class F>
void expect_same(const F& make, int launches = -1, std::source_location at = std::source_location::current()) {
    SCOPED_TRACE(at.line());
    const auto apart = [&] {
        const fusion_scope off(fusion::off);
        return to_host(make());
    }();
    const int before = emulated() ? launched() : 0;
    const auto found = to_host(make());
    if (emulated() && launches >= 0) {
        EXPECT_EQ(launched() - before, launches);
    }
    ASSERT_EQ(found.size(), apart.size());
    if (emulated() || test_device_name() == "host") {
        EXPECT_EQ(std::memcmp(found.data(), apart.data(), found.size() * sizeof(found[0])), 0);
        return;
    }
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(apart[i])));
        error = std::max(error, static_cast<double>(std::abs(found[i] - apart[i])));
    }
    EXPECT_LE(error, 2e-6 * largest);
}

TEST_F(element_functions, take_the_place_of_operand_and_result) {
    const auto x = random_array<c64>(shape<2>(5, 64), 1);
    const auto w = random_array<float>(shape<1>(64), 2);
    const auto h = random_array<c64>(shape<2>(5, 64), 3);
    expect_same([&] { return fft(x * w); }, 1);
    expect_same([&] { return abs2(fft(x)); }, 1);
    expect_same([&] { return abs2(fft(x * w)); }, 1);
    expect_same([&] { return ifft(fft(x * w) * h); }, 2);
    expect_same([&] { return h + 2.f * ifft(conj(x) - h * w); }, 1);
    expect_same([&] { return max(abs2(fft(x * w)), axis=1); }, 2);
}

TEST_F(element_functions, of_all_lengths_and_forms) {
    for (const std::int64_t n : {1, 2, 15, 34, 60, 97, 8192}) {
        SCOPED_TRACE(n);
        const std::int64_t rows = n > 1000 ? 1 : 3;
        const auto x = random_array<c64>(shape<2>(rows, n), 4);
        const auto r = random_array<float>(shape<2>(rows, n), 5);
        const auto w = random_array<float>(shape<1>(n), 6);
        expect_same([&] { return real(fft(x * w)) - imag(x); });
        expect_same([&] { return abs2(rfft(r * w)); });
        expect_same([&] { return w * irfft(x(all, range(0, n / 2 + 1)) * 0.5f, n); });
    }
    const auto z = random_array<c128>(shape<2>(2, 12), 7);
    expect_same([&] { return conj(ifft(z * z)) / 3.0; }, 1);
}

TEST_F(element_functions, of_several_axes) {
    const auto x = random_array<c64>(shape<3>(2, 6, 10), 8);
    const auto h = random_array<c64>(shape<2>(6, 10), 9);
    const auto r = random_array<float>(shape<3>(2, 6, 10), 10);
    expect_same([&] { return abs2(fft2(x * h)); }, 2);
    expect_same([&] { return h * ifftn(x - h); }, 3);
    expect_same([&] { return abs2(rfft2(r * 3.f)); }, 2);
    expect_same([&] { return 1.f + irfft2(x(all, all, range(0, 6)) * 0.25f); }, 2);
}

TEST_F(element_functions, of_elements_that_are_counted) {
    const auto x = random_array<float>(shape<2>(37, 45), 20);
    const auto w = random_array<float>(shape<1>(45), 21);
    const array<float16, 2> h = astype<float16>(x);
    const array<float, 1> edges = linspace(-1.f, 1.f, 12), many = linspace(-1.f, 1.f, 4001);
    expect_same([&] { return histogram(ravel(x * w - 0.25f), edges); }, 1);
    expect_same([&] { return histogram(ravel(x * w), many); }, 2);
    expect_same([&] { return histogram(ravel(h + h), astype<float16>(edges)); });
    expect_same([&] { return bincount(ravel(astype<std::int32_t>(abs(x) * 40.f)), 50); }, 1);
    expect_same([&] { return bincount(ravel(astype<std::int8_t>(x > w)), 2); }, 1);
    expect_same([&] { return bincount(ravel(astype<std::int64_t>(abs(transpose(x)) * 9000.f)), 9001); }, 2);
}

TEST_F(element_functions, of_elements_that_are_sorted) {
    const auto x = random_array<float>(shape<2>(9, 1100), 22);
    const array<float16, 2> h = astype<float16>(x);
    const auto z = random_array<c64>(shape<2>(3, 70), 23);
    for (const std::int64_t n : {7, 32, 90, 300, 1100}) {
        SCOPED_TRACE(n);
        const auto part = x(all, range(0, n));
        expect_same([&] { return sort(part * 3.f - x(0, range(0, n))); });
        expect_same([&] { return argsort(abs(part), descending); }, 1);
        expect_same([&] { return astype<float>(sort(h(all, range(0, n)) - h(0)(0))); }, n > 256 ? -1 : 2);
    }
    expect_same([&] { return sort(conj(z) * z(0)); }, 1);
    expect_same([&] { return sort(transpose(x(all, range(0, 20)))); });
    expect_same([&] { return astype<int>(sort(x(all, range(0, 30)) > 0.f)); });
}

TEST_F(element_functions, read_views_broadcasts_and_converted_elements) {
    const auto x = random_array<float>(shape<2>(24, 40), 11);
    const auto half = random_array<float>(shape<1>(32), 12);
    const array<float16, 1> h = astype<float16>(half);
    const array<bfloat16, 2> b = astype<bfloat16>(x);
    const array<std::int32_t, 1> i = arange<std::int32_t>(40);
    expect_same([&] { return fft(x(range(0, end, 3), range(4, 36)) * h); }, 1);
    expect_same([&] { return fft(b + b(3)); }, 1);
    expect_same([&] { return fft(flip(x, axis=1) - i); });
    expect_same([&] { return fft(x(all, 5)(newaxis, all) * x(0)(range(0, 24))); });
    expect_same([&] { return real(fft(x, 51)) + roll(concat(x, x(all, range(0, 11)), axis=1), 7, axis=1); });
    expect_same([&] { return fft(take(x, i(range(3, 21)), axis=1)); }, 1);
    expect_same([&] { return fft(transpose(x) + 1.f); });
    expect_same([&] { return abs(fft(x, axis=0)); });
    expect_same([&] { return transpose(abs(fft(x))); });
    expect_same([&] { return fft(uniform<float>(random_key(8), {3, 16})); }, 1);
    expect_same([&] { return astype<float>(astype<float16>(real(fft(x)))); });
    expect_same([&] { return real(fft(x)) * uniform<float>(random_key(7), {24, 40}); });
}

TEST_F(element_functions, leave_alone_what_others_read) {
    const auto x = random_array<c64>(shape<2>(4, 30), 13);
    const auto w = random_array<float>(shape<1>(30), 14);
    expect_same([&] { return let(x * w, [](const auto& p) { return fft(p) + p; }); });
    expect_same([&] { return let(fft(x), [](const auto& f) { return abs2(f) + abs2(f(sinter::all, range(0, 1))); }); });
    expect_same([&] { return fft(x)(all, range(0, 7)) * 2.f; });
    expect_same([&] { return let(fft(x * w), [](const auto& f) { return f / max(abs2(f), axis=1, keepdims); }); });
    expect_same([&] { return 2.f * broadcast_to(fft(x)(newaxis, all, range(0, 15)), {2, 4, 15}); });
    const auto y = random_array<c64>(shape<2>(4, 30), 24);
    expect_same([&] { return ifft(fft(x * w) * conj(fft(y * w))); }, 3);
    array<float, 2> a, b, a_apart, b_apart;
    const auto evaluate = [&](auto& first, auto& second) {
        tie(first, second) = pack(abs2(fft(x * w)), real(fft(x * w)) - w);
    };
    evaluate(a, b);
    {
        const fusion_scope off(fusion::off);
        evaluate(a_apart, b_apart);
    }
    EXPECT_LE(item(max(abs(a - a_apart))), 2e-6f * item(max(a)));
    EXPECT_LE(item(max(abs(b - b_apart))), 2e-5f);
    if (emulated()) {
        const int before = launched();
        evaluate(a, b);
        EXPECT_EQ(launched() - before, 1) << "one transform, and one function with two results";
    }
    const auto evaluate_both = [&](auto& first, auto& second) {
        tie(first, second) = pack(abs2(fft(x * w)), w * 3.f + real(x));
    };
    evaluate_both(a, b);
    {
        const fusion_scope off(fusion::off);
        evaluate_both(a_apart, b_apart);
    }
    EXPECT_LE(item(max(abs(a - a_apart))), 2e-6f * item(max(a)));
    EXPECT_LE(item(max(abs(b - b_apart))), 2e-6f);
}

TEST_F(element_functions, write_where_they_are_told_to) {
    const auto h = random_array<c64>(shape<2>(3, 20), 15);
    const auto given = random_array<c64>(shape<2>(3, 20), 16);
    const auto updated = [&](const auto& update) {
        array<c64, 2> x = copy(given);
        update(x);
        return x;
    };
    expect_same([&] { return updated([&](auto& x) { x = fft(x * h); }); });
    expect_same([&] { return updated([&](auto& x) { x = std::move(x) + fft(h); }); });
    expect_same([&] { return updated([&](auto& x) { x += fft(x * h); }); });
    expect_same([&] { return updated([&](auto& x) { x(all, range(0, 20)) = x * ifft(h * 2.f); }); });
    expect_same([&] { return updated([&](auto& x) { x(1) = h(0) + fft(x(0) + x(1)); }); });
    expect_same(
        [&] { return updated([&](auto& x) { x(all, range(0, end, 2)) = 3.f * fft(h(all, range(0, 10)) + 1.f); }); });
    expect_same([&] {
        return updated([&](auto& x) { x(all, range(1, 11)) = x(all, range(0, 10)) - fft(h(all, range(0, 10))); });
    });
}

TEST_F(element_functions, do_not_write_over_what_other_blocks_read) {
    const auto h = random_array<c64>(shape<2>(199, 20), 25);
    const auto given = random_array<c64>(shape<2>(200, 20), 26);
    expect_same([&] {
        array<c64, 2> x = copy(given);
        x(range(1, 200)) = h + fft(x(range(0, 199)) * 2.f);
        return x;
    });
}

TEST_F(element_functions, take_scalars_of_each_evaluation) {
    const auto x = random_array<c128>(shape<1>(18), 17);
    for (const double s : {0.0, 1.5, -2.0}) {
        const c128 turn(s, 1 - s);
        expect_same([&] { return turn * fft(x * s) + turn; }, 1);
    }
}

TEST_F(element_functions, run_in_graphs_and_on_streams) {
    array<c64, 1> x = random_array<c64>(shape<1>(32), 18);
    array<float, 1> y;
    const graph g = capture([&] { y = abs2(fft(2.f * x)); });
    g.launch();
    EXPECT_EQ(to_host(y), to_host(abs2(fft(2.f * x))));
    x *= c64(0, 3);
    g.launch();
    EXPECT_EQ(to_host(y), to_host(abs2(fft(2.f * x))));
    stream q;
    array<float, 1> z;
    z.on(q) = abs2(fft(2.f * x));
    EXPECT_EQ(to_host(z), to_host(y));
}

TEST_F(element_functions, are_checked) {
    const array<float, 1> x = {1, 2, 0, 4};
    const array<std::int64_t, 1> far = {0, 1, 9, 2};
    const debug_scope checked({.nan = true, .bounds = true, .sync = true});
    const auto message_of = [](const auto& f) -> std::string {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(message_of([&] { (void)to_host(abs2(fft(log(-x)))); }), HasSubstr("log(-1)"));
    EXPECT_THAT(message_of([&] { (void)to_host(abs2(fft(take(x, far)))); }), HasSubstr("9"));
}

TEST_F(element_functions, are_explained) {
    const array<c64, 2> x = zeros<c64>({4, 8});
    const array<float, 1> w = zeros<float>({8});
    const explanation e = explain(abs2(fft(x * w)));
    ASSERT_EQ(e.launches, 1);
    EXPECT_EQ(e.kernels[0].bytes, 4 * 8 * (8 + 4) + 8 * 4);
    EXPECT_EQ(e.kernels[0].expression, "fft(x0) with x0 * complex64(x1) with square(real(x0)) + square(imag(x0))");
    EXPECT_THAT(e.kernels[0].source, HasSubstr("load_0_x1"));
    EXPECT_GT(e.bytes_unfused, e.bytes_fused);
    const fusion_scope off(fusion::off);
    EXPECT_GE(explain(abs2(fft(x * w))).launches, 3);
}

}  // namespace
}  // namespace sinter::test
