// The elementwise cases, in MatX's operators.
#include <bench/peers/matx/contest.cuh>

#include <matx/version_config.h>

namespace bench {

std::string device_description() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    return "MatX " + std::to_string(MATX_VERSION_MAJOR) + "." + std::to_string(MATX_VERSION_MINOR) + "." +
           std::to_string(MATX_VERSION_PATCH) + ", " + device.name;
}

namespace {

/// Cases of arrays of one shape: f(x, y, z) is the expression.
template <int Operands, class F>
void elementwise(const trial& t, F f) {
    const auto extents = t.extents<1>();
    tensors<float, 1> x[3];
    for (int k = 0; k < Operands; ++k) x[k] = operands<float>(t, static_cast<unsigned>(k), extents);
    contest<float>(t, extents, [&](const executor& on, auto& out, std::size_t i) {
        (out = f(x[0][i], x[Operands > 1 ? 1 : 0][i], x[Operands > 2 ? 2 : 0][i])).run(on);
    });
}

const registration exponential("exp.float32", [](const trial& t) {
    elementwise<1>(t, [](auto& x, auto&, auto&) { return matx::exp(x); });
});
const registration chain("chain.float32", [](const trial& t) {
    elementwise<1>(t, [](auto& x, auto&, auto&) {
        return matx::tanh(0.75f * x + 0.25f) * matx::exp(-0.5f * x * x) + 0.125f;
    });
});
const registration linear("linear.float32", [](const trial& t) {
    elementwise<3>(t, [](auto& x, auto& y, auto& w) { return 1.5f * x + 2.5f * y + 3.5f * w; });
});
const registration multiply_add("multiply_add.float32", [](const trial& t) {
    elementwise<2>(t, [](auto& x, auto& y, auto&) { return x * y + 1.f; });
});
const registration black_scholes("black_scholes.float32", [](const trial& t) {
    elementwise<3>(t, [](auto& price, auto& strike, auto& years) {
        auto deviation = 0.3f * matx::sqrt(years);
        auto d = (matx::log(price / strike) + (0.02f + 0.5f * 0.3f * 0.3f) * years) / deviation;
        return price * matx::normcdf(d) - strike * matx::exp(-0.02f * years) * matx::normcdf(d - deviation);
    });
});

/// Matrices of one shape and views of them: f(x, y) is the expression.
const registration laplacian("laplacian.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    const matx::index_t n = extent(e, 0), m = extent(e, 1);
    contest<float>(t, sinter::shape<2>(n - 2, m - 2), [&](const executor& on, auto& out, std::size_t i) {
        const auto u = [&](matx::index_t a, matx::index_t b) {
            return matx::slice(x[i], {a, b}, {a + n - 2, b + m - 2});
        };
        (out = u(0, 1) + u(2, 1) + u(1, 0) + u(1, 2) - 4.f * u(1, 1)).run(on);
    });
});
const registration add_transposed("add_transposed.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e), y = operands<float>(t, 1, sinter::shape<2>(e.extent[1], e.extent[0]));
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        (out = x[i] + matx::permute(y[i], {1, 0})).run(on);
    });
});
const registration gaussian("gaussian.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, sinter::shape<1>(e.extent[0]));
    const auto y = operands<float>(t, 1, sinter::shape<1>(e.extent[1]));
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        auto d = matx::clone<2>(x[i], {kept, extent(e, 1)}) -
                 matx::clone<2>(y[i], {extent(e, 0), kept});
        (out = matx::exp(-1.f * d * d)).run(on);
    });
});
const registration gelu("gelu_bias.float16", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<matx::matxFp16>(t, 0, e);
    const auto bias = operands<matx::matxFp16>(t, 1, sinter::shape<1>(e.extent[1]));
    contest<matx::matxFp16>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        auto v = matx::as_float(x[i]) + matx::as_float(matx::clone<2>(bias[i], {extent(e, 0), kept}));
        (out = matx::as_type<matx::matxFp16>(v * matx::normcdf(v))).run(on);
    });
});

}  // namespace
}  // namespace bench
