// Kernels that tensor cores compute.
#pragma once

#include <codegen/transforms/chain.hpp>
#include <codegen/transforms/pass.hpp>
#include <codegen/transforms/recompute.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <optional>

namespace sinter::codegen::testing {

/// bfloat16(max(sum(x * y) + bias, 0)) of halves: a layer of a network.
inline loop_nest product_and_bias(std::int64_t rows, std::int64_t columns, std::int64_t steps) {
    kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns), l = b.loop({steps}), k = b.inner(l);
    const int x = b.load(b.input(dtype::bfloat16), {{i, steps}, {k, 1}}, l);
    const int y = b.load(b.input(dtype::bfloat16), {{k, columns}, {j, 1}}, l);
    const int sum =
        b.reduce("sum", b.op("multiply", {b.cast(dtype::float32, x, l), b.cast(dtype::float32, y, l)}, l), l);
    const int bias = b.cast(dtype::float32, b.load(b.input(dtype::bfloat16), {{j, 1}}));
    const int positive = b.op("maximum", {b.op("add", {sum, bias}), b.constant(0.f)});
    b.store(b.cast(dtype::bfloat16, positive), {{i, columns}, {j, 1}});
    return b.k;
}

/// Of softmax(q * k) * v: layers of rows of q, keys and their columns of v, and the steps of q * k.
struct attention_sizes {
    std::int64_t layers, rows, keys, steps, columns;
};

/// sum(q * k) for each row and key: leaf 3.
inline loop_nest scores(const attention_sizes& n) {
    kernel_builder b;
    const int h = b.outer(n.layers), i = b.outer(n.rows), j = b.outer(n.keys), l = b.loop({n.steps}), d = b.inner(l);
    const int q = b.load(b.input(dtype::bfloat16), {{h, n.rows * n.steps}, {i, n.steps}, {d, 1}}, l);
    const int k = b.load(b.input(dtype::bfloat16), {{h, n.keys * n.steps}, {j, n.steps}, {d, 1}}, l);
    const int product = b.op("multiply", {b.cast(dtype::float32, q, l), b.cast(dtype::float32, k, l)}, l);
    b.store(b.reduce("sum", product, l), {{h, n.rows * n.keys}, {i, n.keys}, {j, 1}});
    return b.k;
}

/// The softmax of the scores times a number, rounded: leaf 4. `differs`: the sum is of exponentials of other scores.
inline loop_nest weights(const attention_sizes& n, bool differs) {
    kernel_builder b;
    const int g = b.outer(n.layers * n.rows);
    const int in = b.input(dtype::float32), scale = b.scalar(dtype::float32);
    b.k.inputs[0].leaf = 3;
    const auto scaled = [&](int l) {
        return b.op("multiply", {b.load(in, {{g, n.keys}, {b.inner(l), 1}}, l), scale}, l);
    };
    const auto exponential = [&](int l, int maximum, bool twice) {
        const int x = scaled(l);
        return b.op("exp", {b.op("subtract", {twice ? b.op("multiply", {x, scale}, l) : x, maximum}, l)}, l);
    };
    const int first = b.loop({n.keys});
    const int maximum = b.reduce("max", scaled(first), first);
    const int second = b.loop({n.keys});
    const int total = b.reduce("sum", exponential(second, maximum, differs), second);
    const int third = b.loop({n.keys});
    const int share = b.op("divide", {exponential(third, maximum, false), total}, third);
    b.store(b.cast(dtype::bfloat16, share, third), {{g, n.keys}, {b.inner(third), 1}}, third);
    return b.k;
}

/// The sums of the weights times leaf 2.
inline loop_nest weighted(const attention_sizes& n) {
    kernel_builder b;
    const int h = b.outer(n.layers), i = b.outer(n.rows), c = b.outer(n.columns), l = b.loop({n.keys}), j = b.inner(l);
    const int w = b.load(b.input(dtype::bfloat16), {{h, n.rows * n.keys}, {i, n.keys}, {j, 1}}, l);
    const int v = b.load(b.input(dtype::bfloat16), {{h, n.keys * n.columns}, {j, n.columns}, {c, 1}}, l);
    b.k.inputs[0].leaf = 4;
    b.k.inputs[1].leaf = 2;
    const int product = b.op("multiply", {b.cast(dtype::float32, w, l), b.cast(dtype::float32, v, l)}, l);
    b.store(b.cast(dtype::bfloat16, b.reduce("sum", product, l)), {{h, n.rows * n.columns}, {i, n.columns}, {c, 1}});
    return b.k;
}

/// The three as one kernel.
inline std::optional<loop_nest> chained(const attention_sizes& n, bool differs = false) {
    const std::optional<loop_nest> nested = nest(scores(n), weights(n, differs), 3);
    return nested ? chain(*nested, weighted(n), {{4}, 0, {0}}) : std::nullopt;
}

/// The exponentials of the scores times a number, less a number of each row (leaf 5), rounded: leaf 4.
inline loop_nest likelihoods(const attention_sizes& n) {
    kernel_builder b;
    const int g = b.outer(n.layers * n.rows), j = b.outer(n.keys);
    const int x = b.load(b.input(dtype::float32), {{g, n.keys}, {j, 1}}), scale = b.scalar(dtype::float32);
    const int level = b.load(b.input(dtype::float32), {{g, 1}});
    b.k.inputs[0].leaf = 3;
    b.k.inputs[1].leaf = 5;
    const int e = b.op("exp", {b.op("subtract", {b.op("multiply", {x, scale}), level})});
    b.store(b.cast(dtype::bfloat16, e), {{g, n.keys}, {j, 1}});
    return b.k;
}

/// For each key, the sums along the rows of these times leaf 2.
inline loop_nest weighted_by_rows(const attention_sizes& n) {
    kernel_builder b;
    const int h = b.outer(n.layers), j = b.outer(n.keys), c = b.outer(n.columns), l = b.loop({n.rows}), i = b.inner(l);
    const int w = b.load(b.input(dtype::bfloat16), {{h, n.rows * n.keys}, {i, n.keys}, {j, 1}}, l);
    const int y = b.load(b.input(dtype::bfloat16), {{h, n.rows * n.columns}, {i, n.columns}, {c, 1}}, l);
    b.k.inputs[0].leaf = 4;
    b.k.inputs[1].leaf = 2;
    const int product = b.op("multiply", {b.cast(dtype::float32, w, l), b.cast(dtype::float32, y, l)}, l);
    b.store(b.cast(dtype::bfloat16, b.reduce("sum", product, l)), {{h, n.keys * n.columns}, {j, n.columns}, {c, 1}});
    return b.k;
}

/// The sums along the rows, or along the keys, with the likelihoods computed of the product in them.
inline std::optional<loop_nest> recomputed(const attention_sizes& n, bool by_rows = true) {
    const std::vector<loop_nest> kernels{scores(n), likelihoods(n), by_rows ? weighted_by_rows(n) : weighted(n)};
    return recompute({kernels, {{3}, {4}, {-1}}, {1, 0, 0}}, 2, 4);
}

}  // namespace sinter::codegen::testing
