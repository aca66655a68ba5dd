// Shifted and transposed operands, and functions of all pairs.
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

/// Operands without any element that is aligned for a wide load.
const registration shifted("exp_shifted.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, shape<1>(t.extents<1>()[0] + 1));
    measure_expression(t, [&](std::size_t i) { return exp(x[i](range(1, end))); });
});

const registration laplacian("laplacian.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) {
        const auto& u = x[i];
        const auto inside = range(1, -1);
        return u(range(0, -2), inside) + u(range(2, end), inside) + u(inside, range(0, -2)) + u(inside, range(2, end)) -
               4.f * u(inside, inside);
    });
});

const registration add_transposed("add_transposed.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    const auto y = operands<float>(t, 1, shape<2>(extents[1], extents[0]));
    measure_expression(t, [&](std::size_t i) { return x[i] + transpose(y[i]); });
});

const registration gaussian("gaussian.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, shape<1>(extents[0]));
    const auto y = operands<float>(t, 1, shape<1>(extents[1]));
    measure_expression(t, [&](std::size_t i) { return exp(-square(x[i](all, newaxis) - y[i])); });
});

const registration pairwise("pairwise.float32", [](const trial& t) {
    const auto extents = t.extents<3>();  // points, other points, dimensions
    const auto x = operands<float>(t, 0, shape<2>(extents[0], extents[2]));
    const auto y = operands<float>(t, 1, shape<2>(extents[1], extents[2]));
    measure_expression(
        t, [&](std::size_t i) { return sum(square(x[i](all, newaxis, all) - y[i](newaxis, all, all)), axis=2_c); });
});

const registration kmeans("kmeans.float32", [](const trial& t) {
    const auto extents = t.extents<3>();  // points, centres, dimensions
    const auto x = operands<float>(t, 0, shape<2>(extents[0], extents[2]));
    const auto y = operands<float>(t, 1, shape<2>(extents[1], extents[2]));
    measure_expression(t, [&](std::size_t i) {
        return argmin(sum(square(x[i](all, newaxis, all) - y[i](newaxis, all, all)), axis=2_c), axis=1_c);
    });
});

/// Gathers rows of a table at random indices, alone or reduced. Extents: rows of the table, their length, indices.
template <class F>
void measure_gather(const trial& t, F of_rows) {
    const auto extents = t.extents<3>();
    const auto table = operands<float>(t, 0, shape<2>(extents[0], extents[1]));
    const auto index = operands<std::int64_t>(t, 1, shape<1>(extents[2]));
    measure_expression(t, [&](std::size_t i) { return of_rows(take(table[i], index[i], axis=0_c)); });
}

const registration embedding("embedding.float32",
                             [](const trial& t) { measure_gather(t, [](const auto& rows) { return rows * 2.f; }); });
const registration embedding_norm("embedding_norm.float32", [](const trial& t) {
    measure_gather(t, [](const auto& rows) { return sum(rows * rows, axis=1_c); });
});
const registration embedding_sum("embedding_sum.float32", [](const trial& t) {
    measure_gather(t, [](const auto& rows) { return sum(rows, axis=0_c); });
});

}  // namespace
}  // namespace bench
