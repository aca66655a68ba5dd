// The kernels whose text is kept in tests/codegen/golden, built for given extents.
#pragma once

#include <codegen/transforms/pass.hpp>
#include <tests/codegen/channel_samples.hpp>
#include <tests/codegen/column_folds_samples.hpp>
#include <tests/codegen/gathered_rows.hpp>
#include <tests/codegen/kernel_builder.hpp>
#include <tests/codegen/tensor_samples.hpp>
#include <tests/codegen/window_samples.hpp>

#include <functional>
#include <utility>

namespace sinter::codegen::testing {

/// exp(x) of n floats.
inline loop_nest exp_of(std::int64_t n) {
    kernel_builder b;
    const int i = b.outer(n);
    b.store(b.op("exp", {b.load(b.input(dtype::float32), {{i, 1}})}), {{i, 1}});
    return b.k;
}

/// a * x + y of a matrix and a row.
inline loop_nest axpy_with_row(std::int64_t rows, std::int64_t columns) {
    kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns);
    const int x = b.load(b.input(dtype::float32), {{i, columns}, {j, 1}});
    const int y = b.load(b.input(dtype::float32), {{j, 1}});
    const int product = b.op("multiply", {b.scalar(dtype::float32), x});
    b.store(b.op("add", {product, y}), {{i, columns}, {j, 1}});
    return b.k;
}

/// x + transpose(y), floats.
inline loop_nest plus_transposed(std::int64_t rows, std::int64_t columns) {
    kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns);
    const int x = b.load(b.input(dtype::float32), {{i, columns}, {j, 1}});
    const int y = b.load(b.input(dtype::float32), {{i, 1}, {j, rows}});
    b.store(b.op("add", {x, y}), {{i, columns}, {j, 1}});
    return b.k;
}

/// u(range(0, -2), inside) + u(range(2, end), inside) - u(inside, inside), inside = range(1, -1), of rows x columns
/// results.
inline loop_nest second_difference(std::int64_t rows, std::int64_t columns) {
    kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns);
    std::vector<int> at;
    for (const int row : {0, 2, 1}) {
        const int input = b.input(dtype::float32);
        b.k.inputs[static_cast<std::size_t>(input)].leaf = 0;
        b.k.inputs[static_cast<std::size_t>(input)].offset = row * (columns + 2) + 1;
        at.push_back(b.load(input, {{i, columns + 2}, {j, 1}}));
    }
    b.store(b.op("subtract", {b.op("add", {at[0], at[1]}), at[2]}), {{i, columns}, {j, 1}});
    return b.k;
}

/// permute(x, {0, 2, 1}): a batch of matrices, transposed.
inline loop_nest transposed_planes(dtype type, std::int64_t planes, std::int64_t rows, std::int64_t columns) {
    kernel_builder b;
    const int p = b.outer(planes), i = b.outer(rows), j = b.outer(columns);
    const int x = b.load(b.input(type), {{p, rows * columns}, {i, 1}, {j, rows}});
    b.store(x, {{p, rows * columns}, {i, columns}, {j, 1}});
    return b.k;
}

/// sqrt(sum(x * x, axis=last)) of doubles.
inline loop_nest norm_of_rows(std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int l = b.loop({n});
    const int x = b.load(b.input(dtype::float64), {{r, n}, {b.inner(l), 1}}, l);
    const int total = b.reduce("sum", b.op("multiply", {x, x}, l), l);
    b.store(b.op("sqrt", {total}), {{r, 1}});
    return b.k;
}

/// The same along the first axis.
inline loop_nest norm_of_columns(std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int c = b.outer(columns);
    const int l = b.loop({n});
    const int x = b.load(b.input(dtype::float64), {{c, 1}, {b.inner(l), columns}}, l);
    const int total = b.reduce("sum", b.op("multiply", {x, x}, l), l);
    b.store(b.op("sqrt", {total}), {{c, 1}});
    return b.k;
}

/// sqrt(sum(x * x, axis=1)) of a rank-3 array.
inline loop_nest norm_of_middle(std::int64_t planes, std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int p = b.outer(planes), c = b.outer(columns);
    const int l = b.loop({n});
    const int x = b.load(b.input(dtype::float32), {{p, n * columns}, {c, 1}, {b.inner(l), columns}}, l);
    const int total = b.reduce("sum", b.op("multiply", {x, x}, l), l);
    b.store(b.op("sqrt", {total}), {{p, columns}, {c, 1}});
    return b.k;
}

/// softmax along the last axis, floats.
inline loop_nest softmax_of_rows(std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int in = b.input(dtype::float32);
    const int l0 = b.loop({n});
    const int highest = b.reduce("max", b.load(in, {{r, n}, {b.inner(l0), 1}}, l0), l0);
    const int l1 = b.loop({n});
    const int x1 = b.load(in, {{r, n}, {b.inner(l1), 1}}, l1);
    const int total = b.reduce("sum", b.op("exp", {b.op("subtract", {x1, highest}, l1)}, l1), l1);
    const int l2 = b.loop({n});
    const int x2 = b.load(in, {{r, n}, {b.inner(l2), 1}}, l2);
    const int e = b.op("exp", {b.op("subtract", {x2, highest}, l2)}, l2);
    b.store(b.op("divide", {e, total}, l2), {{r, n}, {b.inner(l2), 1}}, l2);
    return b.k;
}

/// cumsum(x, axis=last) of a matrix or, for one row, of a vector.
inline loop_nest running_sums_of_rows(std::int64_t rows, std::int64_t n, dtype type = dtype::float32) {
    kernel_builder b;
    kernel_builder::strides at;
    if (rows > 1) at.push_back({b.outer(rows), n});
    const int l = b.loop({n});
    at.push_back({b.inner(l), 1});
    b.store(b.scan("sum", b.load(b.input(type), at, l), l), at, l);
    return b.k;
}

/// cumsum(x, axis=0).
inline loop_nest running_sums_of_columns(std::int64_t n, std::int64_t columns, dtype type = dtype::float32) {
    kernel_builder b;
    const int c = b.outer(columns);
    const int l = b.loop({n});
    const kernel_builder::strides at = {{c, 1}, {b.inner(l), columns}};
    b.store(b.scan("sum", b.load(b.input(type), at, l), l), at, l);
    return b.k;
}

/// x / sum(x) of a whole array of floats.
inline loop_nest share_of_sum(std::int64_t n) {
    kernel_builder b;
    const int in = b.input(dtype::float32);
    const int l0 = b.loop({n});
    const int total = b.reduce("sum", b.load(in, {{b.inner(l0), 1}}, l0), l0);
    const int l1 = b.loop({n});
    b.store(b.op("divide", {b.load(in, {{b.inner(l1), 1}}, l1), total}, l1), {{b.inner(l1), 1}}, l1);
    return b.k;
}

/// mean and variance along the last axis, floats.
inline loop_nest mean_and_var(std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int in = b.input(dtype::float32);
    const int count = b.scalar(dtype::float32);
    const int l0 = b.loop({n});
    const int total = b.reduce("sum", b.load(in, {{r, n}, {b.inner(l0), 1}}, l0), l0);
    const int mean = b.op("divide", {total, count});
    const int l1 = b.loop({n});
    const int x1 = b.load(in, {{r, n}, {b.inner(l1), 1}}, l1);
    const int squares = b.reduce("sum", b.op("square", {b.op("subtract", {x1, mean}, l1)}, l1), l1);
    b.store(mean, {{r, 1}});
    b.store(b.op("divide", {squares, count}), {{r, 1}});
    return b.k;
}

/// (x - mean) / sd of every column of a matrix, floats.
inline loop_nest standardised_columns(std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int c = b.outer(columns);
    const int in = b.input(dtype::float32);
    const int count = b.scalar(dtype::float32);
    const int l0 = b.loop({n});
    const int total = b.reduce("sum", b.load(in, {{c, 1}, {b.inner(l0), columns}}, l0), l0);
    const int mean = b.op("divide", {total, count});
    const int l1 = b.loop({n});
    const int x1 = b.load(in, {{c, 1}, {b.inner(l1), columns}}, l1);
    const int squares = b.reduce("sum", b.op("square", {b.op("subtract", {x1, mean}, l1)}, l1), l1);
    const int deviation = b.op("sqrt", {b.op("divide", {squares, count})});
    const int l2 = b.loop({n});
    const int x2 = b.load(in, {{c, 1}, {b.inner(l2), columns}}, l2);
    b.store(b.op("divide", {b.op("subtract", {x2, mean}, l2), deviation}, l2), {{c, 1}, {b.inner(l2), columns}}, l2);
    return b.k;
}

/// The variance of every row of a matrix, in one pass.
inline loop_nest variance_of_rows(std::int64_t rows, std::int64_t n, dtype type = dtype::float32) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int l = b.loop({n});
    const int count = b.scalar(type);
    const int all = b.reduce("moments", b.load(b.input(type), {{r, n}, {b.inner(l), 1}}, l), l);
    b.store(b.op("divide", {b.op("squares_of_moments", {all}), count}), {{r, 1}});
    return b.k;
}

/// The same of every column.
inline loop_nest variance_of_columns(std::int64_t n, std::int64_t columns, dtype type = dtype::float32) {
    kernel_builder b;
    const int c = b.outer(columns);
    const int l = b.loop({n});
    const int count = b.scalar(type);
    const int all = b.reduce("moments", b.load(b.input(type), {{c, 1}, {b.inner(l), columns}}, l), l);
    b.store(b.op("divide", {b.op("squares_of_moments", {all}), count}), {{c, 1}});
    return b.k;
}

/// (x - mean) / sd of every column of a matrix of floats, both from moments.
inline loop_nest standardised_by_moments(std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int c = b.outer(columns);
    const int in = b.input(dtype::float32);
    const int count = b.scalar(dtype::float32);
    const int l0 = b.loop({n});
    const int all = b.reduce("moments", b.load(in, {{c, 1}, {b.inner(l0), columns}}, l0), l0);
    const int mean = b.op("mean_of_moments", {all});
    const int deviation = b.op("sqrt", {b.op("divide", {b.op("squares_of_moments", {all}), count})});
    const int scale = b.op("reciprocal", {deviation});
    const int l1 = b.loop({n});
    const int x = b.load(in, {{c, 1}, {b.inner(l1), columns}}, l1);
    b.store(b.op("multiply", {b.op("subtract", {x, mean}, l1), scale}, l1), {{c, 1}, {b.inner(l1), columns}}, l1);
    return b.k;
}

/// sum(x * y) of two whole arrays, and the maximum of x.
inline loop_nest dot_and_max(std::int64_t n) {
    kernel_builder b;
    const int l = b.loop({n});
    const int x = b.load(b.input(dtype::float32), {{b.inner(l), 1}}, l);
    const int y = b.load(b.input(dtype::float32), {{b.inner(l), 1}}, l);
    const int total = b.reduce("sum", b.op("multiply", {x, y}, l), l);
    const int highest = b.reduce("max", x, l);
    b.store(total, {});
    b.store(highest, {});
    return b.k;
}

/// sum(x, axis={0, 2}) of int32, accumulated in int64: two inner axes.
inline loop_nest sum_of_outer_and_last(std::int64_t planes, std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int l = b.loop({planes, n});
    const int x = b.load(b.input(dtype::int32), {{r, n}, {b.inner(l, 0), rows * n}, {b.inner(l, 1), 1}}, l);
    b.store(b.reduce("sum", b.cast(dtype::int64, x, l), l), {{r, 1}});
    return b.k;
}

/// sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2), floats: squared distances of points.
inline loop_nest squared_distances(std::int64_t n, std::int64_t m, std::int64_t dimensions) {
    kernel_builder b;
    const int i = b.outer(n), j = b.outer(m);
    const int l = b.loop({dimensions});
    const int x = b.load(b.input(dtype::float32), {{i, dimensions}, {b.inner(l), 1}}, l);
    const int y = b.load(b.input(dtype::float32), {{j, dimensions}, {b.inner(l), 1}}, l);
    const int squares = b.op("square", {b.op("subtract", {x, y}, l)}, l);
    b.store(b.reduce("sum", squares, l), {{i, m}, {j, 1}});
    return b.k;
}

/// square(sum(x(all, all, all, newaxis) * y(all, newaxis, all, all) * weight, axis=2)) * bias of doubles: one product a
/// layer, y's columns side by side, weights along the steps, and a bias a column.
inline loop_nest weighted_products(std::int64_t layers, std::int64_t n, std::int64_t m, std::int64_t steps) {
    kernel_builder b;
    const int layer = b.outer(layers), i = b.outer(n), j = b.outer(m);
    const int l = b.loop({steps});
    const int x = b.load(b.input(dtype::float64), {{layer, n * steps}, {i, steps}, {b.inner(l), 1}}, l);
    const int y = b.load(b.input(dtype::float64), {{layer, steps * m}, {b.inner(l), m}, {j, 1}}, l);
    const int weight = b.load(b.input(dtype::float64), {{b.inner(l), 1}}, l);
    const int product = b.op("multiply", {b.op("multiply", {x, y}, l), weight}, l);
    const int bias = b.load(b.input(dtype::float64), {{j, 1}});
    const int total = b.reduce("sum", product, l);
    b.store(b.op("multiply", {b.op("square", {total}), bias}), {{layer, n * m}, {i, m}, {j, 1}});
    return b.k;
}

/// sum(exp(-square(x - y) / width), axis=2) and the largest of the exponentials, floats: each row has a width, each
/// column of y another.
inline loop_nest sums_of_kernels(std::int64_t n, std::int64_t m, std::int64_t steps) {
    kernel_builder b;
    const int i = b.outer(n), j = b.outer(m);
    const int l = b.loop({steps});
    const int x = b.load(b.input(dtype::float32), {{i, 1}, {b.inner(l), n}}, l);
    const int y = b.load(b.input(dtype::float32), {{j, steps}, {b.inner(l), 1}}, l);
    const int width = b.op("exp", {b.load(b.input(dtype::float32), {{i, 1}})});
    const int scale = b.load(b.input(dtype::float32), {{j, 1}});
    const int ratio = b.op("divide", {b.op("square", {b.op("subtract", {x, y}, l)}, l), width}, l);
    const int term = b.op("exp", {b.op("negative", {b.op("multiply", {ratio, scale}, l)}, l)}, l);
    const int total = b.reduce("sum", term, l);
    const int largest = b.reduce("max", term, l);
    b.store(total, {{i, m}, {j, 1}});
    b.store(b.op("multiply", {largest, width}), {{i, m}, {j, 1}});
    return b.k;
}

/// min(..., axis=1) of an array that an earlier kernel stores as leaf `stored`, floats.
inline loop_nest least_of_rows(std::int64_t rows, std::int64_t n, int stored) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int l = b.loop({n});
    const int in = b.input(dtype::float32);
    b.k.inputs[0].leaf = stored;
    b.store(b.reduce("min", b.load(in, {{r, n}, {b.inner(l), 1}}, l), l), {{r, 1}});
    return b.k;
}

/// min(sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2), axis=1), floats: the distance of the nearest.
inline loop_nest distance_of_nearest(std::int64_t n, std::int64_t centres, std::int64_t dimensions) {
    return nest(squared_distances(n, centres, dimensions), least_of_rows(n, centres, 2), 2).value();
}

struct sample {
    const char* name;
    const char* heading;
    loop_nest small, large;  ///< of one class, unlike in extents
    int oldest_arch = 75;    ///< that has a schedule for it
};

inline std::vector<sample> samples_of_products() {
    return {
        {"product_and_bias", "relu(matmul(x0, x1) + x2)", product_and_bias(4096, 4096, 4096),
         product_and_bias(8192, 4096, 2048)},
        {"attention", "matmul(softmax(matmul(x0, x1) * s0, axis=2), x2)", chained({32, 2048, 2048, 64, 64}).value(),
         chained({16, 4096, 4096, 64, 64}).value(), 80},
        {"sums_of_likelihoods", "matmul(transpose(exp(matmul(x0, x1) * s0 - x2)), x3)",
         recomputed({32, 2048, 2048, 64, 64}).value(), recomputed({16, 4096, 4096, 64, 64}).value(), 80},
    };
}

inline std::vector<sample> samples() {
    std::vector<sample> all{
        {"exp", "exp(x0)", exp_of(1 << 25), exp_of((1 << 26) + 4096)},
        {"axpy_with_row", "s0 * x0 + x1", axpy_with_row(8192, 8192), axpy_with_row(12000, 10000)},
        {"second_difference", "x0 + x1 - x2", second_difference(8190, 8190), second_difference(12000, 9998)},
        {"filter_of_3x3", "sum(x0 * x1) + s0", filtered(8190, 8190, {}), filtered(12002, 9998, {})},
        {"filter_of_11x11", "sum(x0 * x1) + s0", filtered(8190, 8190, {.height = 11, .width = 11}),
         filtered(12002, 9998, {.height = 11, .width = 11})},
        {"normalised_rows_of_three", "x0 / norm(x0, axis=1, keepdims)", normalised_rows(1 << 25, 3),
         normalised_rows(1 << 24, 3)},
        {"plus_transposed", "x0 + transpose(x1)", plus_transposed(8192, 8192), plus_transposed(12000, 10000)},
        {"transposed_bytes", "permute(x0, {0, 2, 1})", transposed_planes(dtype::uint8, 20, 4096, 4096),
         transposed_planes(dtype::uint8, 7, 2048, 12000)},
        {"planes_of_pixels", "permute(x0, {0, 2, 1}) + x1", planes_of_bytes(64, 1 << 16), planes_of_bytes(40, 50176)},
        {"norm_of_rows", "sqrt(sum(x0 * x0, axis=2))", norm_of_rows(100000, 1000), norm_of_rows(200000, 1024)},
        {"norm_of_columns", "sqrt(sum(x0 * x0, axis=0))", norm_of_columns(1000, 100000), norm_of_columns(1024, 90000)},
        {"norm_of_middle", "sqrt(sum(x0 * x0, axis=1))", norm_of_middle(1000, 100, 1000),
         norm_of_middle(900, 112, 1100)},
        {"rows_and_columns", "pack(sum(x0, axis=1), -max(x0 / sum(x0, axis=1, keepdims), axis=0))",
         sums_and_largest_shares(16384, 1024).value().rows, sums_and_largest_shares(9000, 1020).value().rows},
        {"softmax_of_rows", "softmax(x0, axis=1)", softmax_of_rows(8192, 4096), softmax_of_rows(9000, 4092)},
        {"running_sums_of_rows", "cumsum(x0, axis=1)", running_sums_of_rows(16384, 4096),
         running_sums_of_rows(20000, 5000)},
        {"running_sums_of_columns", "cumsum(x0, axis=0)", running_sums_of_columns(1000, 32768),
         running_sums_of_columns(900, 40000)},
        {"running_sums_of_long_row", "cumsum(x0)", running_sums_of_rows(1, 1 << 27),
         running_sums_of_rows(1, 100000000)},
        {"running_sums_of_few_columns", "cumsum(x0, axis=0)", running_sums_of_columns(1000000, 100),
         running_sums_of_columns(900000, 120)},
        {"gathered_rows", "sum(take(x1, x0, axis=0), axis=1)", gathered_rows(gathered::rows, 300000, 64),
         gathered_rows(gathered::rows, 400000, 64)},
        {"sum_of_gathered_rows", "sum(take(x1, x0, axis=0), axis=1)", gathered_rows(gathered::columns, 3000000, 64),
         gathered_rows(gathered::columns, 4000000, 64)},
        {"joined_rows", "concat(x0, x1, axis=1)", joined_rows(200000, 64, 32), joined_rows(100000, 128, 64)},
        {"mean_and_var", "pack(mean(x0, axis=1), var(x0, axis=1))", mean_and_var(50000, 333), mean_and_var(60000, 331)},
        {"standardised_columns", "(x0 - mean(x0, axis=0)) / stddev(x0, axis=0)", standardised_columns(4096, 16384),
         standardised_columns(4100, 16388)},
        {"dot_and_max", "pack(sum(x0 * x1), max(x0))", dot_and_max(1 << 28), dot_and_max((1 << 27) + 3)},
        {"split_columns", "sqrt(sum(x0 * x0, axis=0))", norm_of_columns(1000000, 100), norm_of_columns(900000, 120)},
        {"share_of_sum", "x0 / sum(x0)", share_of_sum(1 << 28), share_of_sum((1 << 27) + 3)},
        {"softmax_of_long_rows", "softmax(x0, axis=1)", softmax_of_rows(64, 262144), softmax_of_rows(50, 300000)},
        {"softmax_of_rows_in_clusters", "softmax(x0, axis=1)", softmax_of_rows(128, 131072),
         softmax_of_rows(150, 130000)},
        {"standardised_few_columns", "(x0 - mean(x0, axis=0)) / stddev(x0, axis=0)", standardised_columns(131072, 512),
         standardised_columns(130001, 500)},
        {"variance_of_rows", "var(x0, axis=1)", variance_of_rows(16384, 4096), variance_of_rows(17000, 4092)},
        {"variance_of_columns", "var(x0, axis=0)", variance_of_columns(131072, 512), variance_of_columns(130000, 516)},
        {"standardised_by_moments", "standardise(x0, axis=0)", standardised_by_moments(131072, 512),
         standardised_by_moments(130001, 500)},
        {"squared_distances", "sum(square(x0(all, newaxis, all) - x1(newaxis, all, all)), axis=2)",
         squared_distances(4096, 4096, 64), squared_distances(5000, 6000, 128)},
        {"distance_of_nearest", "min(sum(square(x0(all, newaxis, all) - x1(newaxis, all, all)), axis=2), axis=1)",
         distance_of_nearest(1 << 18, 64, 32), distance_of_nearest(300000, 60, 96)},
        {"sum_of_outer_and_last", "sum(x0, axis={0, 2})", sum_of_outer_and_last(64, 1000, 256),
         sum_of_outer_and_last(60, 1003, 252)},
    };
    for (sample& one : samples_of_products()) all.push_back(std::move(one));
    return all;
}

/// Those that an architecture has schedules for.
inline std::vector<sample> samples_for(int arch) {
    std::vector<sample> all = samples();
    std::erase_if(all, [arch](const sample& s) { return arch < s.oldest_arch; });
    return all;
}

}  // namespace sinter::codegen::testing
