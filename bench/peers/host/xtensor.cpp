// The cases in xtensor: one lazy expression per case, as in NumPy.
#include <bench/peers/host/buffers.hpp>

#include <xtensor/xadapt.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>

namespace bench {

std::string device_description() {
    return "xtensor " + std::to_string(XTENSOR_VERSION_MAJOR) + "." + std::to_string(XTENSOR_VERSION_MINOR) + "." +
           std::to_string(XTENSOR_VERSION_PATCH);
}

namespace {

template <std::size_t Rank>
using extents_t = std::array<std::size_t, Rank>;

template <int Rank>
extents_t<Rank> extents_of(const sinter::shape<Rank>& s) {
    extents_t<Rank> e;
    std::copy(s.begin(), s.end(), e.begin());
    return e;
}

template <class T, std::size_t Rank>
auto view_of(T* data, const extents_t<Rank>& e) {
    std::size_t n = 1;
    for (const std::size_t extent : e) n *= extent;
    return xt::adapt(data, n, xt::no_ownership(), e);
}

/// Cases whose operands and result have one shape: f(result, x, y, z) assigns.
template <class F>
void elementwise(const trial& t, F f) {
    const auto e = extents_of(t.extents<1>());
    const auto n = static_cast<std::int64_t>(e[0]);
    auto x = buffers<float>(t, 0, n), y = buffers<float>(t, 1, n), z = buffers<float>(t, 2, n);
    measure_on_host<float>(t, n, [&](float* out, std::size_t i) {
        auto r = view_of(out, e);
        f(r, view_of(x[i].data(), e), view_of(y[i].data(), e), view_of(z[i].data(), e));
    });
}

const registration exponential("exp.float32", [](const trial& t) {
    elementwise(t, [](auto& r, const auto& x, const auto&, const auto&) { xt::noalias(r) = xt::exp(x); });
});
const registration chain("chain.float32", [](const trial& t) {
    elementwise(t, [](auto& r, const auto& x, const auto&, const auto&) {
        xt::noalias(r) = xt::tanh(0.75f * x + 0.25f) * xt::exp(-0.5f * x * x) + 0.125f;
    });
});
const registration linear("linear.float32", [](const trial& t) {
    elementwise(t, [](auto& r, const auto& x, const auto& y, const auto& w) {
        xt::noalias(r) = 1.5f * x + 2.5f * y + 3.5f * w;
    });
});
const registration multiply_add("multiply_add.float32", [](const trial& t) {
    elementwise(t, [](auto& r, const auto& x, const auto& y, const auto&) { xt::noalias(r) = x * y + 1.f; });
});
const registration black_scholes("black_scholes.float32", [](const trial& t) {
    elementwise(t, [](auto& r, const auto& price, const auto& strike, const auto& years) {
        const auto deviation = 0.3f * xt::sqrt(years);
        const auto d = (xt::log(price / strike) + (0.02f + 0.5f * 0.3f * 0.3f) * years) / deviation;
        const auto n1 = 0.5f * (1.f + xt::erf(d * 0.70710678f));
        const auto n2 = 0.5f * (1.f + xt::erf((d - deviation) * 0.70710678f));
        xt::noalias(r) = price * n1 - strike * xt::exp(-0.02f * years) * n2;
    });
});

template <class T, std::size_t Axis>
void norm(const trial& t) {
    const auto e = extents_of(t.extents<3>());
    const extents_t<2> kept{e[Axis == 0], e[Axis == 2 ? 1 : 2]};
    auto x = buffers<T>(t, 0, t.extents<3>().size());
    measure_on_host<T>(t, static_cast<std::int64_t>(kept[0] * kept[1]), [&](T* out, std::size_t i) {
        const auto a = view_of(x[i].data(), e);
        auto r = view_of(out, kept);
        xt::noalias(r) = xt::sqrt(xt::sum(a * a, {Axis}));
    });
}
const registration norm_0("norm_axis0.float32", norm<float, 0>);
const registration norm_1("norm_axis1.float32", norm<float, 1>);
const registration norm_2("norm_axis2.float32", norm<float, 2>);
const registration norm_2_double("norm_axis2.float64", norm<double, 2>);

const registration dot("dot.float32", [](const trial& t) {
    const auto e = extents_of(t.extents<1>());
    const auto n = static_cast<std::int64_t>(e[0]);
    auto x = buffers<float>(t, 0, n), y = buffers<float>(t, 1, n);
    measure_on_host<float>(t, 1, [&](float* out, std::size_t i) {
        *out = xt::sum(view_of(x[i].data(), e) * view_of(y[i].data(), e), xt::evaluation_strategy::immediate)();
    });
});

/// Cases of a matrix: f(result, x) assigns.
template <std::size_t ResultRank, class F>
void matrix(const trial& t, const extents_t<ResultRank>& result, F f) {
    const auto e = extents_of(t.extents<2>());
    auto x = buffers<float>(t, 0, t.extents<2>().size());
    std::size_t n = 1;
    for (const std::size_t extent : result) n *= extent;
    measure_on_host<float>(t, static_cast<std::int64_t>(n), [&](float* out, std::size_t i) {
        auto r = view_of(out, result);
        f(r, view_of(x[i].data(), e));
    });
}

const registration softmax("softmax.float32", [](const trial& t) {
    matrix(t, extents_of(t.extents<2>()), [](auto& r, const auto& x) {
        xt::noalias(r) = xt::exp(x - xt::amax(x, {1}, xt::keep_dims | xt::evaluation_strategy::immediate));
        r /= xt::eval(xt::sum(r, {1}, xt::keep_dims | xt::evaluation_strategy::immediate));
    });
});
const registration logsumexp("logsumexp.float32", [](const trial& t) {
    matrix(t, extents_t<1>{extents_of(t.extents<2>())[0]}, [](auto& r, const auto& x) {
        const xt::xtensor<float, 2> top = xt::amax(x, {1}, xt::keep_dims | xt::evaluation_strategy::immediate);
        xt::noalias(r) = xt::log(xt::sum(xt::exp(x - top), {1})) + xt::view(top, xt::all(), 0);
    });
});
const registration variance("var_axis0.float32", [](const trial& t) {
    matrix(t, extents_t<1>{extents_of(t.extents<2>())[1]}, [](auto& r, const auto& x) {
        const xt::xtensor<float, 1> mean = xt::mean(x, {0}, xt::evaluation_strategy::immediate);
        xt::noalias(r) = xt::mean(xt::square(x - mean), {0}, xt::evaluation_strategy::immediate);
    });
});
const registration laplacian("laplacian.float32", [](const trial& t) {
    const auto e = extents_of(t.extents<2>());
    const std::size_t n = e[0] - 2, m = e[1] - 2;
    matrix(t, extents_t<2>{n, m}, [&](auto& r, const auto& u) {
        const auto shifted = [&](std::size_t i, std::size_t j) {
            return xt::view(u, xt::range(i, i + n), xt::range(j, j + m));
        };
        xt::noalias(r) = shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) - 4.f * shifted(1, 1);
    });
});
const registration add_transposed("add_transposed.float32", [](const trial& t) {
    const auto e = extents_of(t.extents<2>());
    auto y = buffers<float>(t, 1, t.extents<2>().size());
    auto x = buffers<float>(t, 0, t.extents<2>().size());
    measure_on_host<float>(t, t.extents<2>().size(), [&](float* out, std::size_t i) {
        auto r = view_of(out, e);
        xt::noalias(r) = view_of(x[i].data(), e) + xt::transpose(view_of(y[i].data(), extents_t<2>{e[1], e[0]}));
    });
});
const registration pairwise("pairwise.float32", [](const trial& t) {
    const auto e = extents_of(t.extents<3>());
    auto x = buffers<float>(t, 0, static_cast<std::int64_t>(e[0] * e[2]));
    auto y = buffers<float>(t, 1, static_cast<std::int64_t>(e[1] * e[2]));
    measure_on_host<float>(t, static_cast<std::int64_t>(e[0] * e[1]), [&](float* out, std::size_t i) {
        const auto a = view_of(x[i].data(), extents_t<2>{e[0], e[2]}),
                   b = view_of(y[i].data(), extents_t<2>{e[1], e[2]});
        auto r = view_of(out, extents_t<2>{e[0], e[1]});
        xt::noalias(r) = xt::sum(xt::square(xt::view(a, xt::all(), xt::newaxis(), xt::all()) - b), {2});
    });
});

}  // namespace
}  // namespace bench
