// The cases in Eigen: array expressions where possible, row by row where a reduction is broadcast back.
#include <bench/peers/host/buffers.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace bench {

std::string device_description() {
    return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION);
}

namespace {

template <class T>
using line = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using table = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Elementwise cases of arrays of one shape: f(out, x, y, z) assigns.
template <class F>
void elementwise(const trial& t, F f) {
    const std::int64_t n = t.extents<1>()[0];
    std::vector<std::vector<float>> operands[] = {buffers<float>(t, 0, n), buffers<float>(t, 1, n),
                                                  buffers<float>(t, 2, n)};
    const auto operand = [&](int k, std::size_t i) { return line<float>(operands[k][i].data(), n); };
    measure_on_host<float>(
        t, n, [&](float* out, std::size_t i) { f(line<float>(out, n), operand(0, i), operand(1, i), operand(2, i)); });
}

const registration exponential("exp.float32",
                               [](const trial& t) { elementwise(t, [](auto r, auto x, auto, auto) { r = x.exp(); }); });
const registration chain("chain.float32", [](const trial& t) {
    elementwise(
        t, [](auto r, auto x, auto, auto) { r = (0.75f * x + 0.25f).tanh() * (-0.5f * x.square()).exp() + 0.125f; });
});
const registration linear("linear.float32", [](const trial& t) {
    elementwise(t, [](auto r, auto x, auto y, auto w) { r = 1.5f * x + 2.5f * y + 3.5f * w; });
});
const registration multiply_add("multiply_add.float32", [](const trial& t) {
    elementwise(t, [](auto r, auto x, auto y, auto) { r = x * y + 1.f; });
});
const registration black_scholes("black_scholes.float32", [](const trial& t) {
    elementwise(t, [](auto r, auto price, auto strike, auto years) {
        const auto deviation = 0.3f * years.sqrt();
        const auto d = ((price / strike).log() + (0.02f + 0.5f * 0.3f * 0.3f) * years) / deviation;
        const auto n1 = 0.5f * (1.f + (d * 0.70710678f).erf());
        const auto n2 = 0.5f * (1.f + ((d - deviation) * 0.70710678f).erf());
        r = price * n1 - strike * (-0.02f * years).exp() * n2;
    });
});

template <class T>
void norm(const trial& t, int axis) {
    const auto e = t.extents<3>();
    const auto x = buffers<T>(t, 0, e.size());
    measure_on_host<T>(t, e.size() / e[axis], [&](T* out, std::size_t i) {
        T* const in = const_cast<T*>(x[i].data());
        if (axis == 2)
            line<T>(out, e[0] * e[1]) = table<T>(in, e[0] * e[1], e[2]).square().rowwise().sum().sqrt();
        else if (axis == 0)
            line<T>(out, e[1] * e[2]) = table<T>(in, e[0], e[1] * e[2]).square().colwise().sum().sqrt();
        else
            for (std::int64_t a = 0; a < e[0]; ++a)
                line<T>(out + a * e[2], e[2]) =
                    table<T>(in + a * e[1] * e[2], e[1], e[2]).square().colwise().sum().sqrt();
    });
}
const registration norm_0("norm_axis0.float32", [](const trial& t) { norm<float>(t, 0); });
const registration norm_1("norm_axis1.float32", [](const trial& t) { norm<float>(t, 1); });
const registration norm_2("norm_axis2.float32", [](const trial& t) { norm<float>(t, 2); });
const registration norm_2_double("norm_axis2.float64", [](const trial& t) { norm<double>(t, 2); });

const registration dot("dot.float32", [](const trial& t) {
    const std::int64_t n = t.extents<1>()[0];
    auto x = buffers<float>(t, 0, n), y = buffers<float>(t, 1, n);
    measure_on_host<float>(t, 1, [&](float* out, std::size_t i) {
        *out = (line<float>(x[i].data(), n) * line<float>(y[i].data(), n)).sum();
    });
});

/// Cases of a matrix and one operand element per column; `f(out, x, operands)`.
template <class F>
void matrix(const trial& t, std::int64_t results, F f) {
    const auto e = t.extents<2>();
    auto x = buffers<float>(t, 0, e.size()), weight = buffers<float>(t, 1, e[1]), bias = buffers<float>(t, 2, e[1]);
    measure_on_host<float>(t, results, [&](float* out, std::size_t i) {
        f(out, table<float>(x[i].data(), e[0], e[1]), line<float>(weight[i].data(), e[1]),
          line<float>(bias[i].data(), e[1]));
    });
}

const registration softmax("softmax.float32", [](const trial& t) {
    matrix(t, t.extents<2>().size(), [](float* out, auto x, auto, auto) {
        table<float> r(out, x.rows(), x.cols());
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            r.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
            r.row(i) /= r.row(i).sum();
        }
    });
});
const registration layernorm("layernorm.float32", [](const trial& t) {
    matrix(t, t.extents<2>().size(), [](float* out, auto x, auto weight, auto bias) {
        table<float> r(out, x.rows(), x.cols());
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            r.row(i) = x.row(i) - x.row(i).mean();
            const float scale = 1 / std::sqrt(r.row(i).square().mean() + 1e-5f);
            r.row(i) = r.row(i) * scale * weight.transpose() + bias.transpose();
        }
    });
});
const registration logsumexp("logsumexp.float32", [](const trial& t) {
    matrix(t, t.extents<2>()[0], [](float* out, auto x, auto, auto) {
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            const float top = x.row(i).maxCoeff();
            out[i] = std::log((x.row(i) - top).exp().sum()) + top;
        }
    });
});
const registration variance("var_axis0.float32", [](const trial& t) {
    matrix(t, t.extents<2>()[1], [](float* out, auto x, auto, auto) {
        const Eigen::Array<float, 1, Eigen::Dynamic> mean = x.colwise().mean();
        line<float>(out, x.cols()) = (x.rowwise() - mean).square().colwise().mean();
    });
});
const registration laplacian("laplacian.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const Eigen::Index n = e[0] - 2, m = e[1] - 2;
    matrix(t, n * m, [&](float* out, auto u, auto, auto) {
        table<float>(out, n, m) = u.block(0, 1, n, m) + u.block(2, 1, n, m) + u.block(1, 0, n, m) +
                                  u.block(1, 2, n, m) - 4.f * u.block(1, 1, n, m);
    });
});
const registration add_transposed("add_transposed.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    auto x = buffers<float>(t, 0, e.size()), y = buffers<float>(t, 1, e.size());
    measure_on_host<float>(t, e.size(), [&](float* out, std::size_t i) {
        table<float>(out, e[0], e[1]) =
            table<float>(x[i].data(), e[0], e[1]) + table<float>(y[i].data(), e[1], e[0]).transpose();
    });
});
const registration pairwise("pairwise.float32", [](const trial& t) {
    const auto e = t.extents<3>();
    auto x = buffers<float>(t, 0, e[0] * e[2]), y = buffers<float>(t, 1, e[1] * e[2]);
    measure_on_host<float>(t, e[0] * e[1], [&](float* out, std::size_t i) {
        const table<float> a(x[i].data(), e[0], e[2]), b(y[i].data(), e[1], e[2]);
        for (Eigen::Index p = 0; p < a.rows(); ++p)
            line<float>(out + p * e[1], e[1]) = (b.rowwise() - a.row(p)).square().rowwise().sum();
    });
});

}  // namespace
}  // namespace bench
