// Gradients of whole losses: against complex-step derivatives in NumPy (tests/data/gradients.py), and against central
// differences where NumPy lacks a complex version. The rules of single ops are in derivatives_test.cpp.
#include <sinter/recurrence.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <tuple>

namespace sinter::test {
namespace {

const std::string archive = SINTER_TEST_DIR "/data/gradients.npz";

template <int Rank>
array<double, Rank> stored(const std::string& name) {
    return load_npz<double, Rank>(archive, name);
}

class gradients : public on_devices {
protected:
    /// The loss, its value and its derivatives by each operand (of the ranks given), against the archive's.
    template <int... Rank, class F>
    void check(const std::string& name, F loss) {
        SCOPED_TRACE(name);
        [&]<int... I>(std::integer_sequence<int, I...>) {
            std::tuple<array<double, Rank>...> operands{stored<Rank>(name + "/" + std::to_string(I))...};
            std::apply([&](const auto&... x) { check_with(name, loss(x...), x...); }, operands);
        }(std::make_integer_sequence<int, sizeof...(Rank)>());
    }

private:
    template <class Tree, class... A>
    void check_with(const std::string& name, const expr<Tree>& loss, const A&... x) {
        array<double, 0> value;
        std::tuple<A...> by;
        std::apply([&](auto&... g) { tie(value, g...) = value_and_grad(loss, x...); }, by);
        expect_equal(value, to_naive(stored<0>(name + "/value")), 1e-11);
        int which = 0;
        std::apply(
            [&](const auto&... g) {
                (expect_equal(g, to_naive(stored<A::rank>(name + "/by_" + std::to_string(which++))), 1e-10), ...);
            },
            by);
    }
};

auto summed(const auto& a, const auto& b) { return sum(a(all, all, newaxis) * b, axis=1); }
auto apply_to(const auto& a, const auto& v) { return sum(a * v, axis=1); }
auto scaled_rows(const auto& x) {
    const auto off = x - mean(x, axis=1, keepdims);
    return off / sqrt(mean(square(off), axis=1, keepdims) + 1e-5);
}
auto cross_entropy(const auto& logits) {
    const auto classes = stored<2>("classes");
    return mean(logsumexp(logits, axis=1) - sum(logits * classes, axis=1));
}
auto length(const auto& x) { return norm(x, axis=-1); }

TEST_F(gradients, of_models) {
    check<2, 1, 1>("linear",
                   [](const auto& x, const auto& w, const auto& y) { return mean(square(apply_to(x, w) - y)); });
    check<2, 1, 1>("logistic",
                   [](const auto& x, const auto& w, const auto& s) { return mean(softplus(-s * apply_to(x, w))); });
    check<2, 2>("cross_entropy", [](const auto& x, const auto& w) { return cross_entropy(summed(x, w)); });
    check<2, 2, 2>("tanh_network", [](const auto& x, const auto& v, const auto& w) {
        return sum(square(summed(tanh(summed(x, v)), w)));
    });
    check<2, 2, 1, 2, 1>("relu_network", [](const auto& x, const auto& v, const auto& b, const auto& w, const auto& c) {
        return cross_entropy(summed(relu(summed(x, v) + b), w) + c);
    });
    check<2, 2, 2, 2>("attention", [](const auto& q, const auto& k, const auto& v, const auto& t) {
        return sum(summed(softmax(summed(q, transpose(k)) / 2, axis=1), v) * t);
    });
    check<2, 2>("embedding", [](const auto& e, const auto& w) {
        const auto places = load_npz<std::int64_t, 1>(archive, "places");
        return sum(tanh(summed(take(e, places, axis=0), w)));
    });
}

TEST_F(gradients, of_normalisations_and_statistics) {
    check<2, 1, 1, 2>("layer_norm", [](const auto& x, const auto& w, const auto& b, const auto& t) {
        return sum((layer_norm(x, axis=1) * w + b) * t);
    });
    check<2, 2>("rms_norm", [](const auto& x, const auto& t) { return sum(rms_norm(x, axis=1) * t); });
    check<2>("logsumexp", [](const auto& x) { return sum(square(logsumexp(3 * x, axis=1))); });
    check<2, 2>("softmax", [](const auto& x, const auto& t) { return sum(square(softmax(x, axis=1) - t)); });
    check<2>("variance", [](const auto& x) { return sum(square(var(x, axis=0))); });
    check<2, 2>("batch_norm", [](const auto& x, const auto& t) { return sum(tanh(layer_norm(x, axis=0)) * t); });
    check<2, 2>("cosine", [](const auto& x, const auto& y) { return sum(vecdot(x, y) / (length(x) * length(y))); });
    check<2, 2>("divergence", [](const auto& x, const auto& y) {
        return sum(softmax(x, axis=1) * (log_softmax(x, axis=1) - log_softmax(y, axis=1)));
    });
}

TEST_F(gradients, of_choices_and_distances) {
    check<1, 1>("huber", [](const auto& x, const auto& y) {
        const auto off = abs(x - y);
        return sum(where(off < 1, 0.5 * square(off), off - 0.5));
    });
    const auto squares = [](const auto& x, const auto& c) { return sum(square(x(all, newaxis, all) - c), axis=2); };
    check<2, 2>("kernel_density",
                [&](const auto& x, const auto& c) { return mean(log(sum(exp(-squares(x, c)), axis=1))); });
    check<2, 2>("nearest", [&](const auto& x, const auto& c) { return sum(min(squares(x, c), axis=1)); });
    check<2, 1>("powers", [](const auto& x, const auto& p) { return sum(pow(x, p) + pow(x, 3) / (1 + x * x)); });
}

TEST_F(gradients, of_views) {
    check<2>("stencil", [](const auto& x) {
        const auto in = range(1, -1), up = range(0, -2), down = range(2, end);
        return sum(square(x(up, in) + x(down, in) + x(in, up) + x(in, down) - 4 * x(in, in)));
    });
    check<2>("strides",
             [](const auto& x) { return sum(exp(x(range(1, end, 2), range(-1, end, -1))) * x(range(0, end, 2))); });
    check<2, 2>("joined", [](const auto& x, const auto& y) {
        return sum(concat(axis=0, roll(x, 2, axis=0), y * y * y) * pad(x, {{1, 2}, {0, 0}}));
    });
    check<2>("diagonal", [](const auto& x) {
        return sum(square(diagonal(x, 1))) * trace(x) + sum(prod(sin(reshape(x, {3, 10})), axis=0));
    });
}

/// Against central differences, worked out on the host.
template <class F, class... N>
void expect_like_differences(F loss, const N&... at) {
    const auto value = [&](const auto&... x) {
        const device_scope on(host());
        return item(loss(to_array<double, 2>(x)...));
    };
    std::tuple<N...> moved(at...);
    const auto arrays = std::tuple(to_array<double, 2>(at)...);
    const auto check = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        naive& x = std::get<I>(moved);
        naive expected = x;
        constexpr double step = 1e-4;
        for (std::size_t i = 0; i < x.values.size(); ++i) {
            const double was = x.values[i];
            const auto slope = [&](double h) {
                x.values[i] = was + h;
                const double up = std::apply(value, moved);
                x.values[i] = was - h;
                const double down = std::apply(value, moved);
                x.values[i] = was;
                return (up - down) / (2 * h);
            };
            expected.values[i] = (4 * slope(step) - slope(2 * step)) / 3;
        }
        const array<double, 2> g =
            std::apply([&](const auto&... x_of) { return grad(loss(x_of...), std::get<I>(arrays)); }, arrays);
        expect_equal(g, expected, 1e-7);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check(std::integral_constant<std::size_t, I>{}), ...);
    }(std::index_sequence_for<N...>{});
}

TEST_F(gradients, of_reductions) {
    const naive x = random({5, 7}, 1), w = random({5, 7}, 2);
    const auto weighted = [](auto reduce) {
        return [reduce](const auto& a, const auto& b) { return sum(reduce(a) * sin(reduce(b))); };
    };
    expect_like_differences(weighted([](const auto& a) { return sum(a, axis=0); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return prod(a, axis=1); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return max(a, axis=1, keepdims); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return min(a, axis=0); }), x, w);
    expect_like_differences(
        weighted([](const auto& a) { return cumsum(a, axis=1) + cumsum(a, axis=0, exclusive); }), x, w);
    if (emulated()) return;
    expect_like_differences(weighted([](const auto& a) { return nanmax(a, axis=0); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return nanmin(a, axis={0, 1}); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return mean(a, axis=1, where=a > 0); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return stddev(a, axis=0, ddof=1); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return norm(a, axis=1, ord=3); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return max(a, axis=1, initial=0.5); }), x, w);
    expect_like_differences(weighted([](const auto& a) { return standardise(a, axis=1); }), x, w);
}

TEST_F(gradients, of_activations) {
    const naive x = random({3, 11}, 3);
    const auto squared = [](auto f) { return [f](const auto& a) { return sum(square(f(a))); }; };
    expect_like_differences(squared([](const auto& a) { return gelu(a) + mish(a); }), x);
    if (emulated()) return;
    expect_like_differences(squared([](const auto& a) { return silu(a) + selu(a) + elu(a) + leaky_relu(a); }), x);
    expect_like_differences(squared([](const auto& a) { return sigmoid(a) * hardswish(a) - sinc(a); }), x);
}

TEST_F(gradients, of_broadcasts_and_views) {
    const naive x = random({4, 6}, 4), row = random({1, 6}, 5), column = random({4, 1}, 6);
    expect_like_differences([](const auto& a, const auto& b, const auto& c) { return sum((a + b) * (b - c) + c); }, x,
                            row, column);
    expect_like_differences(
        [](const auto& b, const auto& c) {
            return sum(b + c) + sum(broadcast_to(b, {3, 9, 6}));
        },
        row, column);
    if (emulated()) return;
    expect_like_differences(
        [](const auto& a) {
            return sum(exp(permute(a, {1, 0})) * flip(a(range(0, 6), 2), axis=0));
        },
        x);
    expect_like_differences([](const auto& a) { return sum(square(a(1, range(-2, end, -2))) * a(3, 4)); }, x);
    expect_like_differences([](const auto& a) { return sum(square(repeat(a, 3, axis=1)) * tile(a, {1, 3})); }, x);
    expect_like_differences(
        [](const auto& a) {
            const array<int, 2> at = {{3, -1, 0}, {3, 3, 9}};  // the last one is beyond the axis: it reads the nearest
            return sum(square(take(a, at, axis=0))) + sum(sin(take(a, at, axis=1)) * a(all, newaxis, range(0, 3)));
        },
        random({4, 6}, 7));
    expect_like_differences([](const auto& a) { return sum(cos(stack(axis=1, a, a * a)(all, 1, range(4, 0, -3)))); },
                            x);
    expect_like_differences([](const auto& a) { return sum(square(tril(a, 1)) + sum(diagonal(a, -2))); }, x);
}

TEST_F(gradients, of_gradients) {
    const naive x = random({3, 5}, 8), y = random({3, 5}, 9);
    const auto loss = [](const auto& a, const auto& b) { return sum(exp(sum(a * b, axis=1)) + prod(a, axis=1)); };
    // the gradient along a fixed direction is a loss again
    expect_like_differences(
        [&](const auto& a, const auto& b) { return sum(grad(loss(a, b), a) * cos(b)) + loss(a, b); }, x, y);
}

TEST_F(gradients, where_there_is_no_slope) {
    const array<double, 1> x = {0, 1, 2, 0, 2};
    const auto by = [&](const auto& loss) { return to_host(grad(loss, x)); };
    EXPECT_EQ(by(sum(relu(x))), (std::vector<double>{0.5, 1, 1, 0.5, 1}));
    EXPECT_EQ(by(sum(abs(x))), (std::vector<double>{0, 1, 1, 0, 1}));
    EXPECT_EQ(by(max(x)), (std::vector<double>{0, 0, 0.5, 0, 0.5}));
    EXPECT_EQ(by(min(x)), (std::vector<double>{0.5, 0, 0, 0.5, 0}));
    EXPECT_EQ(by(prod(x)), (std::vector<double>{0, 0, 0, 0, 0}));
    EXPECT_EQ(by(prod(x(range(0, 3)))), (std::vector<double>{2, 0, 0, 0, 0}));
    EXPECT_EQ(by(sum(pow(x, 2))), (std::vector<double>{0, 2, 4, 0, 4}));
    EXPECT_EQ(by(sum(pow(x, x * 0))), (std::vector<double>{0, 0, 0, 0, 0}));
    EXPECT_EQ(by(sum(x * floor(x) + astype<double>(astype<int>(x)))), (std::vector<double>{0, 1, 2, 0, 2}));
    EXPECT_EQ(by(sum(where(x > 1, x * x, 3 * x))), (std::vector<double>{3, 3, 4, 3, 4}));
}

TEST_F(gradients, know_an_array_by_its_elements) {
    array<double, 1> w = {1, 2, 3};
    const array<double, 1> same = w;
    EXPECT_EQ(to_host(grad(sum(w * same), w)), (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(to_host(grad(sum(w * stop_gradient(same)), w)), (std::vector<double>{1, 2, 3}));
    const array<double, 1> other = copy(w);
    EXPECT_EQ(to_host(grad(sum(w * other), w)), (std::vector<double>{1, 2, 3}));
    // by a part of the loss, which need be no array
    const auto h = exp(w);
    const array<double, 1> dh = grad(sum(h * h), h);
    EXPECT_THAT(to_host(dh), testing::Pointwise(testing::DoubleNear(1e-12), to_host(2 * exp(w))));
    // a loss keeps the values that it was written with, and is differentiated there
    const auto loss = sum(w * w);
    const auto dw = grad(loss, w);
    w = w + 1;
    EXPECT_EQ(to_host(dw), (std::vector<double>{2, 4, 6}));
    EXPECT_THROW((void)to_host(grad(loss, w)), error);
}

TEST_F(gradients, of_other_dtypes) {
    const naive x = random({37}, 10);
    const auto f = to_array<float, 1>(x);
    const array<float, 1> df = grad(sum(f * f * f), f);
    expect_equal(df, map([](double v) { return 3 * v * v; }, x), 1e-6);
    const auto h = astype<float16>(f);
    const array<float16, 1> half = h;
    const array<float, 1> dh = grad(mean(square(half)), half) * 37;
    expect_equal(dh, map([](double v) { return 2 * v; }, x), 2e-3);
    const array<double, 1> mixed = grad(sum(astype<double>(f) * 2), f);
    expect_equal(mixed, map([](double) { return 2.0; }, x));
}

TEST_F(gradients, of_products) {
    const naive x = random({5, 7}, 18), w = random({7, 4}, 19);
    const auto a = to_array<double, 2>(x), b = to_array<double, 2>(w);
    const auto loss = sum(sin(matmul(a, b)));
    const auto plain = sum(sin(summed(a, b)));  // written as a sum
    array<double, 2> by_a, by_b, plain_by_a, plain_by_b;
    tie(by_a, by_b) = grad(loss, a, b);
    tie(plain_by_a, plain_by_b) = grad(plain, a, b);
    expect_equal(by_a, to_naive(plain_by_a), 1e-12);
    expect_equal(by_b, to_naive(plain_by_b), 1e-12);
}

TEST_F(gradients, of_nothing) {
    const array<double, 2> none(shape<2>(0, 3));
    const array<double, 1> w = {1, 2, 3};
    EXPECT_EQ(to_host(grad(sum(none * w), w)), (std::vector<double>{0, 0, 0}));
    EXPECT_TRUE(to_host(grad(sum(none * w), none)).empty());
    EXPECT_EQ(to_host(grad(sum(w(range(3, end))), w)), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(to_host(grad(sum(square(concat(axis=0, none, w(newaxis, all)))), w)), (std::vector<double>{2, 4, 6}));
    EXPECT_TRUE(to_host(grad(sum(square(concat(axis=0, w(newaxis, all), none))), none)).empty());
    EXPECT_TRUE(to_host(grad(sum(exp(pad(none, {{2, 1}, {0, 0}}))), none)).empty());
}

/// The parts of what is joined, and what is padded, at any places, where products multiply it.
TEST_F(gradients, of_parts) {
    const naive x = random({9, 6}, 20), y = random({4, 6}, 21), w = random({9, 5}, 22);
    expect_like_differences(
        [](const auto& a, const auto& b, const auto& c) {
            const auto joined = concat(axis=0, tanh(b), a, b * b);
            return sum(square(summed(tanh(pad(joined(range(3, -3), all), {{1, 0}, {2, 1}}, 0.5)), c)));
        },
        x, y, w);
}

TEST_F(gradients, new_shapes_and_scalars) {
    for (const std::int64_t n : {1, 2, 37, 300}) {
        for (const double s : {1.0, 2.0, 3.0}) {  // 2 and 3 are equal to other scalars of the loss
            const naive x = random({n}, static_cast<unsigned>(n));
            const auto a = to_array<double, 1>(x);
            const array<double, 1> g = grad(sum(s * a * a + 2 * exp(3 * a)), a);
            expect_equal(g, map([&](double v) { return 2 * s * v + 6 * std::exp(3 * v); }, x), 1e-11);
        }
    }
}

/// What is mentioned often is computed and differentiated once.
TEST_F(gradients, take_no_more_kernels_for_what_is_mentioned_often) {
    const auto x = to_array<double, 2>(random({32, 20}, 11)), v = to_array<double, 2>(random({20, 16}, 12)),
               w = to_array<double, 2>(random({16, 5}, 13)), t = to_array<double, 2>(random({32, 5}, 14));
    const auto h = tanh(summed(x, v));
    const auto logits = summed(h, w);
    const auto loss = mean(logsumexp(logits, axis=1) - sum(logits * t, axis=1));
    EXPECT_EQ(explain(grad(loss, w)).launches, 4);     // h, the logits, their derivative, w's
    EXPECT_EQ(explain(grad(loss, v, w)).launches, 6);  // and h's and v's
    // and the loss
    EXPECT_EQ(explain(value_and_grad(loss, v, w)).launches, 7);
    const auto u = to_array<double, 2>(random({17, 5}, 17));
    const auto biased = summed(pad(h, {{0, 0}, {0, 1}}, 1.0), u);
    const auto loss_of_biased = mean(logsumexp(biased, axis=1) - sum(biased * t, axis=1));
    EXPECT_EQ(explain(grad(loss_of_biased, v, u)).launches, 6);
}

TEST_F(gradients, update_in_place) {
    const naive x0 = random({40, 7}, 15), y0 = random({40}, 16);
    const auto x = to_array<double, 2>(x0);
    const auto y = to_array<double, 1>(y0);
    auto w = to_array<double, 1>(random({7}, 17)), b = to_array<double, 1>(naive({1}, {0.5}));
    const void* const b_at = address(b);
    const auto loss = [&] { return mean(square(apply_to(x, w) + b - y)); };
    const double before = item(loss());
    for (int i = 0; i < (emulated() ? 5 : 50); ++i) {
        const auto g = [&](const auto& p) { return 0.05 * grad(loss(), p); };
        tie(w, b) = pack(w - g(w), b - g(b));
    }
    EXPECT_LT(item(loss()), 0.8 * before);
    EXPECT_EQ(address(b), b_at);  // by the last kernel; w's comes before it, and b's could still fail
}

TEST_F(gradients, that_there_are_none_of_are_refused_in_one_line) {
    const array<double, 1> x = {1, 2}, y = {3, 4};
    const auto message = [](const auto& e) {
        try {
            (void)to_host(e);
        } catch (const error& problem) {
            return std::string(problem.what());
        }
        return std::string("it was taken");
    };
    EXPECT_THAT(message(grad(sum(x), y)), testing::HasSubstr("the loss does not depend on the variable"));
    EXPECT_THAT(message(grad(sum(abs(astype<std::complex<double>>(x))), x)), testing::HasSubstr("complex"));
    EXPECT_THAT(message(grad(sum(of_bits(to_bits(x)) + x), x)), testing::HasSubstr("it was taken"));
    for (const std::string& m : {message(grad(sum(x), y)), message(grad(sum(real(x * std::complex<double>(0, 1))), x))})
        EXPECT_EQ(std::count(m.begin(), m.end(), '\n'), 0) << m;
}

TEST_F(gradients, where_there_are_none) {
    const array<double, 1> zeros = {0, 0}, x = {0, -1, 4};
    expect_equal(grad(norm(zeros), zeros), naive({2}, {nan_value, nan_value}));
    expect_equal(grad(norm(zeros, axis=0, ord=1_c), zeros), naive({2}, {0, 0}));
    expect_equal(grad(stddev(zeros), zeros), naive({2}, {nan_value, nan_value}));
    expect_equal(grad(sum(where(x > 0, sqrt(x), 0)), x), naive({3}, {nan_value, nan_value, 0.25}));
    expect_equal(grad(sum(sqrt(where(x > 0, x, 1))), x), naive({3}, {0, 0, 0.25}));
}

/// The coefficients of a recurrence are complex numbers inside alone.
TEST_F(gradients, of_recurrences_are_refused) {
    const array<double, 1> x = {1, 2};
    EXPECT_EQ(message_of([&] { return array<double, 1>(grad(sum(ema(x, 0.5)), x)); }),
              "grad: a scan by linear_steps has no known derivative; wrap it in stop_gradient(...), or differentiate "
              "something else");
}

}  // namespace
}  // namespace sinter::test
