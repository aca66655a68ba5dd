// Reductions, scans and what is broadcast back. What two kernels share is a tensor of its own, which is allocated once:
// an operator that reduces is computed anew wherever an expression names it.
#include <bench/peers/matx/contest.cuh>

namespace bench {
namespace {

/// One result per row or column.
template <int Axis, class T>
void norm(const trial& t) {
    const auto e = t.extents<3>();
    const auto x = operands<T>(t, 0, e);
    const sinter::shape<2> left(e.extent[Axis == 0 ? 1 : 0], e.extent[Axis == 2 ? 1 : 2]);
    contest<T>(t, left, [&](const executor& on, auto& out, std::size_t i) {
        (out = matx::sqrt(matx::sum(x[i] * x[i], {Axis}))).run(on);
    });
}
const registration norm_0("norm_axis0.float32", norm<0, float>);
const registration norm_1("norm_axis1.float32", norm<1, float>);
const registration norm_2("norm_axis2.float32", norm<2, float>);
const registration norm_2_double("norm_axis2.float64", norm<2, double>);

const registration dot("dot.float32", [](const trial& t) {
    const auto e = t.extents<1>();
    const auto x = operands<float>(t, 0, e), y = operands<float>(t, 1, e);
    contest<float>(t, sinter::shape<1>(1), [&](const executor& on, auto& out, std::size_t i) {
        auto result = matx::make_tensor<float>(out.Data(), {});
        (result = matx::sum(x[i] * y[i])).run(on);
    });
});

#ifndef MATX_EN_JIT  // softmax has no other executor
const registration softmax("softmax.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        (out = matx::softmax(x[i], {1})).run(on);
    });
});
#endif

const registration logsumexp("logsumexp.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    auto top = made<float>(sinter::shape<1>(e.extent[0]));
    contest<float>(t, sinter::shape<1>(e.extent[0]), [&](const executor& on, auto& out, std::size_t i) {
        (top = matx::max(x[i], {1})).run(on);
        auto shifted = x[i] - matx::clone<2>(top, {kept, extent(e, 1)});
        (out = matx::log(matx::sum(matx::exp(shifted), {1})) + top).run(on);
    });
});
const registration layernorm("layernorm.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const matx::index_t n = extent(e, 0), m = extent(e, 1);
    const auto x = operands<float>(t, 0, e);
    const auto w = operands<float>(t, 1, sinter::shape<1>(m)), b = operands<float>(t, 2, sinter::shape<1>(m));
    auto mean = made<float>(sinter::shape<1>(n)), variance = made<float>(sinter::shape<1>(n));
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        (mean = matx::mean(x[i], {1})).run(on);
        auto centred = x[i] - matx::clone<2>(mean, {kept, m});
        (variance = matx::sum(centred * centred, {1}) * (1.f / float(m))).run(on);
        (out = centred * matx::rsqrt(matx::clone<2>(variance, {kept, m}) + 1e-5f) *
                   matx::clone<2>(w[i], {n, kept}) +
               matx::clone<2>(b[i], {n, kept}))
            .run(on);
    });
});
const registration rmsnorm("rmsnorm.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const matx::index_t n = extent(e, 0), m = extent(e, 1);
    const auto x = operands<float>(t, 0, e);
    const auto w = operands<float>(t, 1, sinter::shape<1>(m));
    auto scale = made<float>(sinter::shape<1>(n));
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        (scale = matx::rsqrt(matx::sum(x[i] * x[i], {1}) * (1.f / float(m)) + 1e-5f)).run(on);
        (out = x[i] * matx::clone<2>(scale, {kept, m}) * matx::clone<2>(w[i], {n, kept})).run(on);
    });
});
const registration variance("var_axis0.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    contest<float>(t, sinter::shape<1>(e.extent[1]), [&](const executor& on, auto& out, std::size_t i) {
        (out = matx::var(x[i], {0}, 0)).run(on);
    });
});
const registration standardise("standardise_axis0.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const matx::index_t n = extent(e, 0), m = extent(e, 1);
    const auto x = operands<float>(t, 0, e);
    auto mean = made<float>(sinter::shape<1>(m)), variance = made<float>(sinter::shape<1>(m));
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        (mean = matx::mean(x[i], {0})).run(on);
        auto centred = x[i] - matx::clone<2>(mean, {n, kept});
        (variance = matx::sum(centred * centred, {0}) * (1.f / float(n))).run(on);
        (out = centred * matx::rsqrt(matx::clone<2>(variance, {n, kept}))).run(on);
    });
});

const registration running_row("cumsum_axis1.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) { (out = matx::cumsum(x[i])).run(on); });
});
const registration running_column("cumsum_axis0.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    contest<float>(t, e, [&](const executor& on, auto& out, std::size_t i) {
        auto along_rows = matx::permute(out, {1, 0});
        (along_rows = matx::cumsum(matx::permute(x[i], {1, 0}))).run(on);
    });
});

/// The squared distances of the rows of x and y, as an operator of rank 3 that is summed.
template <class X>
auto differences(const X& x, const X& y, const sinter::shape<3>& e) {
    return matx::clone<3>(x, {kept, extent(e, 1), kept}) -
           matx::clone<3>(y, {extent(e, 0), kept, kept});
}
const registration pairwise("pairwise.float32", [](const trial& t) {
    const auto e = t.extents<3>();
    const auto x = operands<float>(t, 0, sinter::shape<2>(e.extent[0], e.extent[2]));
    const auto y = operands<float>(t, 1, sinter::shape<2>(e.extent[1], e.extent[2]));
    const sinter::shape<2> pairs(e.extent[0], e.extent[1]);
    contest<float>(t, pairs, [&](const executor& on, auto& out, std::size_t i) {
        auto d = differences(x[i], y[i], e);
        (out = matx::sum(d * d, {2})).run(on);
    });
});

#ifndef MATX_EN_JIT  // argmin and argmax have no other executor
const registration argmax("argmax.float32", [](const trial& t) {
    const auto e = t.extents<2>();
    const auto x = operands<float>(t, 0, e);
    auto top = made<float>(sinter::shape<1>(e.extent[0]));
    const auto call = [&](const executor& on, auto& out, std::size_t i) {
        (matx::mtie(top, out) = matx::argmax(x[i], {1})).run(on);
    };
    contest<matx::index_t>(t, sinter::shape<1>(e.extent[0]), call, e.extent[1]);
});
const registration kmeans("kmeans.float32", [](const trial& t) {
    const auto e = t.extents<3>();
    const auto x = operands<float>(t, 0, sinter::shape<2>(e.extent[0], e.extent[2]));
    const auto y = operands<float>(t, 1, sinter::shape<2>(e.extent[1], e.extent[2]));
    auto distances = made<float>(sinter::shape<2>(e.extent[0], e.extent[1]));
    auto least = made<float>(sinter::shape<1>(e.extent[0]));
    const auto call = [&](const executor& on, auto& out, std::size_t i) {
        auto d = differences(x[i], y[i], e);
        (distances = matx::sum(d * d, {2})).run(on);
        (matx::mtie(least, out) = matx::argmin(distances, {1})).run(on);
    };
    contest<matx::index_t>(t, sinter::shape<1>(e.extent[0]), call, e.extent[1]);
});
#endif

}  // namespace
}  // namespace bench
