// Launches the hand-written elementwise kernels.
#include <bench/peers/hand/contest.hpp>

namespace bench {
namespace {

using floats = std::vector<sinter::array<float, 1>>;

/// Kernels NAME_U of `Operands` operands, for each number U of vectors per thread.
template <int Operands>
void elementwise(const trial& t, const std::string& name, std::initializer_list<int> unrolls,
                 bool approximate = false) {
    const auto extents = t.extents<1>();
    require_multiple(t, extents[0], 4);
    const auto vectors = static_cast<int>(extents[0] / 4);
    floats x[Operands];
    for (int k = 0; k < Operands; ++k) x[k] = operands<float>(t, static_cast<unsigned>(k), extents);
    contest<float, 1> c(t, extents);
    for (const int u : unrolls) {
        const std::string full_name = name + "_" + std::to_string(u);
        const kernel k("elementwise.cu", full_name);
        const geometry g{blocks_for(vectors, 256 * u)};
        c.enter(
            k, full_name,
            [&](void* out, std::size_t i) {
                if constexpr (Operands == 1)
                    k(g, out, data(x[0], i), vectors);
                else if constexpr (Operands == 2)
                    k(g, out, data(x[0], i), data(x[1], i), vectors);
                else
                    k(g, out, data(x[0], i), data(x[1], i), data(x[2], i), vectors);
            },
            approximate);
    }
}

const registration exponential("exp.float32", [](const trial& t) { elementwise<1>(t, "exp", {1, 2, 4}); });
const registration chain("chain.float32", [](const trial& t) { elementwise<1>(t, "chain", {1, 2}); });
const registration linear("linear.float32", [](const trial& t) { elementwise<3>(t, "linear", {1, 2}); });
const registration black_scholes("black_scholes.float32", [](const trial& t) {
    elementwise<3>(t, "black_scholes", {1, 2});
    elementwise<3>(t, "fast_black_scholes", {1, 2}, true);
});

const registration multiply_add("multiply_add.float32", [](const trial& t) {
    elementwise<2>(t, "multiply_add", {1});
    const auto extents = t.extents<1>();
    const auto x = operands<float>(t, 0, extents), y = operands<float>(t, 1, extents);
    const kernel k("elementwise.cu", "multiply_add_single");
    const auto n = static_cast<int>(extents[0]);
    contest<float, 1>(t, extents).enter(k, "single", [&](void* out, std::size_t i) {
        k({blocks_for(n, 128), 128}, out, data(x, i), data(y, i), n);
    });
});

const registration steps_1("steps_1.float32", [](const trial& t) { elementwise<1>(t, "steps_1", {2}); });
const registration steps_2("steps_2.float32", [](const trial& t) { elementwise<1>(t, "steps_2", {2}); });
const registration steps_4("steps_4.float32", [](const trial& t) { elementwise<1>(t, "steps_4", {2}); });
const registration steps_8("steps_8.float32", [](const trial& t) { elementwise<1>(t, "steps_8", {2}); });
const registration steps_16("steps_16.float32", [](const trial& t) { elementwise<1>(t, "steps_16", {2}); });
const registration steps_32("steps_32.float32", [](const trial& t) { elementwise<1>(t, "steps_32", {2}); });

const registration gelu("gelu_bias.float16", [](const trial& t) {
    const auto extents = t.extents<2>();
    require_multiple(t, extents[1], 8);
    const auto x = operands<sinter::float16>(t, 0, extents);
    const auto bias = operands<sinter::float16>(t, 1, sinter::shape<1>(extents[1]));
    const auto vectors = static_cast<int>(extents.size() / 8), row = static_cast<int>(extents[1] / 8);
    contest<sinter::float16, 2> c(t, extents);
    for (const char* name : {"gelu_1", "gelu_2", "short_gelu_1", "short_gelu_2"}) {
        const kernel k("half.cu", name);
        const int u = name[std::string(name).size() - 1] - '0';
        c.enter(k, name, [&](void* out, std::size_t i) {
            k({blocks_for(vectors, 256 * u)}, out, data(x, i), data(bias, i), vectors, row);
        });
    }
});

}  // namespace
}  // namespace bench
