// Filters and short rows, built for given extents.
#pragma once

#include <tests/codegen/kernel_builder.hpp>

namespace sinter::codegen::testing {

struct filter {
    std::int64_t height = 3, width = 3, step = 1, dilation = 1;
};

/// sum(window * weights) over the windows of a filter, one for each result.
inline loop_nest filtered(std::int64_t rows, std::int64_t columns, const filter& f, dtype type = dtype::float32) {
    kernel_builder b;
    const std::int64_t length = f.step * (columns - 1) + f.dilation * (f.width - 1) + 1;
    const int i = b.outer(rows), j = b.outer(columns);
    const int l = b.loop({f.height, f.width});
    const int x = b.load(
        b.input(type),
        {{i, f.step * length}, {j, f.step}, {b.inner(l, 0), f.dilation * length}, {b.inner(l, 1), f.dilation}}, l);
    const int weight = b.load(b.input(type), {{b.inner(l, 0), f.width}, {b.inner(l, 1), 1}}, l);
    const int total = b.reduce("sum", b.op("multiply", {x, weight}, l), l);
    b.store(b.op("add", {total, b.scalar(b.k.values[static_cast<std::size_t>(total)].type)}), {{i, columns}, {j, 1}});
    return b.k;
}

/// x / norm(x, axis=1, keepdims), floats.
inline loop_nest normalised_rows(std::int64_t rows, std::int64_t n, dtype type = dtype::float32) {
    kernel_builder b;
    const int r = b.outer(rows), in = b.input(type);
    const int l0 = b.loop({n});
    const int x = b.load(in, {{r, n}, {b.inner(l0), 1}}, l0);
    const int norm = b.op("sqrt", {b.reduce("sum", b.op("multiply", {x, x}, l0), l0)});
    const int l1 = b.loop({n});
    const int again = b.load(in, {{r, n}, {b.inner(l1), 1}}, l1);
    b.store(b.op("divide", {again, norm}, l1), {{r, n}, {b.inner(l1), 1}}, l1);
    return b.k;
}

}  // namespace sinter::codegen::testing
