// Products of factors that lie in any way, are computed of anything, and have anything after them.
#pragma once

#include <codegen/lower/promises.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/verify/verify.hpp>
#include <tests/codegen/render_running.hpp>

#include <gmock/gmock.h>

#include <string>

namespace sinter::codegen::testing {

struct sizes {
    std::int64_t layers, rows, columns, steps;
};

/// How a test's product differs from x * y.
struct variation {
    dtype type = dtype::float16;
    dtype float8 = dtype::bool_,
          y_float8 = dtype::bool_;                    ///< x and y are of these types, if they are, and become `type`
    bool x_along_steps = true, y_along_steps = true;  ///< neighbours in memory
    bool computed_x = false;                          ///< x - a mean for each row, times two, rounded
    bool quantised_y = false;                         ///< int8, times a scale for each column
    bool weighted = false;                            ///< x and y times a weight for each step
    bool epilogue = false;  ///< relu(sum * scale + bias of the column + residual), and the sum itself
    bool halves = false;    ///< the result is rounded to `type`
    bool y_shared = false;  ///< by all layers
};

inline loop_nest product(const sizes& n, const variation& how) {
    kernel_builder b;
    const int layer = n.layers > 1 ? b.outer(n.layers) : -1, i = b.outer(n.rows), j = b.outer(n.columns);
    const int l = b.loop({n.steps});
    const int k = b.inner(l);
    const auto along = [&](kernel_builder::strides all, std::int64_t of_layer) {
        if (layer >= 0) all.emplace_back(layer, of_layer);
        return all;
    };
    const auto lies = [&](int axis, std::int64_t extent, bool along_steps) {
        return along(along_steps ? kernel_builder::strides{{axis, n.steps}, {k, 1}}
                                 : kernel_builder::strides{{k, extent}, {axis, 1}},
                     extent * n.steps);
    };
    const int mean = how.computed_x ? b.cast(dtype::float32, b.load(b.input(how.type), {{i, 1}})) : -1;
    const int weight = how.weighted ? b.cast(dtype::float32, b.load(b.input(how.type), {{k, 1}}, l), l) : -1;
    const auto rounded = [&](int v) {
        if (how.weighted) v = b.op("multiply", {v, weight}, l);
        return b.cast(how.type, v, l);
    };
    const auto load = [&](dtype type, const kernel_builder::strides& at) {
        if (!is_float8(type)) return b.load(b.input(how.type), at, l);
        return b.cast(how.type, b.load(b.input(type), at, l), l);
    };
    int x = load(how.float8, lies(i, n.rows, how.x_along_steps));
    if (how.computed_x) {
        const int centred = b.op("subtract", {b.cast(dtype::float32, x, l), mean}, l);
        x = rounded(b.op("add", {centred, centred}, l));
    } else if (how.weighted) {
        x = rounded(b.cast(dtype::float32, x, l));
    }
    kernel_builder::strides of_y = lies(j, n.columns, how.y_along_steps);
    if (how.y_shared) of_y.pop_back();
    int y = how.quantised_y ? b.load(b.input(dtype::int8), of_y, l) : load(how.y_float8, of_y);
    if (how.quantised_y) {
        const int scale = b.load(b.input(dtype::float32), {{j, 1}}, l);
        y = rounded(b.op("multiply", {b.cast(dtype::float32, y, l), scale}, l));
    } else if (how.weighted) {
        y = rounded(b.cast(dtype::float32, y, l));
    }
    const int factors = b.op("multiply", {b.cast(dtype::float32, x, l), b.cast(dtype::float32, y, l)}, l);
    const int sum = b.reduce("sum", factors, l);
    const kernel_builder::strides to = along({{i, n.columns}, {j, 1}}, n.rows * n.columns);
    if (!how.epilogue) {
        const dtype result = is_float8(how.float8) ? dtype::bfloat16 : how.type;
        b.store(how.halves ? b.cast(result, sum) : sum, to);
        return b.k;
    }
    const int scaled = b.op("multiply", {sum, b.scalar(dtype::float32)});
    const int biased = b.op("add", {scaled, b.load(b.input(dtype::float32), {{j, 1}})});
    const int with_residual = b.op("add", {biased, b.load(b.input(dtype::float32), to)});
    const int positive = b.op("maximum", {with_residual, b.constant(0.f)});
    b.store(how.halves ? b.cast(how.type, positive) : positive, to);
    b.store(sum, to);
    return b.k;
}

/// Every index of an operand or a result; none describes those of a workspace.
inline void expect_proved(const loop_nest& k, const schedule& s) {
    const auto p = print_kernel(k, s, "").program;
    for (const std::string& one : device_ir::verify(*p, lower::promises_of(class_of(k, s), *p)))
        EXPECT_THAT(one, ::testing::HasSubstr("that no axis describes"));
}

}  // namespace sinter::codegen::testing
