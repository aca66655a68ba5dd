// Matrix products, MxKxN, alone and with the operations that follow them in a network's layer.
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

template <class T>
struct factors {
    shape<3> extents;
    std::vector<array<T, 2>> a, b;

    explicit factors(const trial& t)
        : extents(t.extents<3>()),
          a(operands<T>(t, 0, shape<2>(extents[0], extents[1]))),
          b(operands<T>(t, 1, shape<2>(extents[1], extents[2]))) {}
};

template <class T>
void plain(const trial& t) {
    const factors<T> f(t);
    measure_launches(t, [&](std::size_t i) { return matmul(f.a[i], f.b[i]); });
}

const registration single("matmul.float32", plain<float>);
const registration double_("matmul.float64", plain<double>);
const registration half("matmul.float16", plain<float16>);
const registration brain("matmul.bfloat16", plain<bfloat16>);
const registration rough("matmul_tf32.float32", [](const trial& t) {
    const factors<float> f(t);
    measure_launches(t, [&](std::size_t i) { return matmul(f.a[i], f.b[i], precision=tf32); });
});
const registration transposed("matmul_transposed.float32", [](const trial& t) {
    const auto extents = t.extents<3>();
    const auto a = operands<float>(t, 0, shape<2>(extents[1], extents[0]));
    const auto b = operands<float>(t, 1, shape<2>(extents[2], extents[1]));
    measure_launches(t, [&](std::size_t i) { return matmul(transpose(a[i]), transpose(b[i])); });
});
const registration biased("matmul_bias.float16", [](const trial& t) {
    const factors<float16> f(t);
    const auto bias = operands<float16>(t, 2, shape<1>(f.extents[2]));
    measure_launches(t, [&](std::size_t i) { return matmul(f.a[i], f.b[i]) + bias[i]; });
});
const registration layer("matmul_bias_gelu.float16", [](const trial& t) {
    const factors<float16> f(t);
    const auto bias = operands<float16>(t, 2, shape<1>(f.extents[2]));
    measure_launches(t, [&](std::size_t i) {
        const auto v = matmul(f.a[i], f.b[i]) + bias[i];
        return 0.5f * v * (1.f + erf(v * 0.70710678f));
    });
});

}  // namespace
}  // namespace bench
