// One-line compile errors for invalid calls: no or too many arguments, containers, strings.
#pragma once

#include <sinter/array.hpp>
#include <sinter/create.hpp>
#include <sinter/generate.hpp>
#include <sinter/grad.hpp>
#include <sinter/matmul.hpp>
#include <sinter/npz.hpp>
#include <sinter/random.hpp>
#include <sinter/scan.hpp>
#include <sinter/tie.hpp>

namespace sinter {
// Usage messages for composite functions; functions of op/table.def have their own.
#define USAGE(name, call) SINTER_DETAIL_USAGE(name, call)
#define NUMBERS(name, call)                                                                                 \
    template <class... T>                                                                                   \
    detail::nothing name(...) {                                                                             \
        static_assert(detail::never<T...>, "sinter: " #name " does not take these arguments: write " call); \
        return {};                                                                                          \
    }                                                                                                       \
    SINTER_DETAIL_USAGE_OF_BRACES_FIRST(name)
// Of random numbers braced extents come last.
#define RANDOM(name, call)                                                                                         \
    NUMBERS(name, call)                                                                                            \
    template <class... T>                                                                                          \
    detail::nothing name(const detail::braces::value&, const detail::braces&) {                                    \
        return name<T..., void>();                                                                                 \
    }                                                                                                              \
    template <class... T>                                                                                          \
    detail::nothing name(const detail::braces::value&, const detail::braces::value&, const detail::braces&) {      \
        return name<T..., void>();                                                                                 \
    }                                                                                                              \
    template <class... T>                                                                                          \
    detail::nothing name(const detail::braces::value&, const detail::braces::value&, const detail::braces::value&, \
                         const detail::braces&) {                                                                  \
        return name<T..., void>();                                                                                 \
    }
#define LOADS(name, call) SINTER_DETAIL_USAGE_OF_LOADS(name, call)
#define FILES(name)                                                   \
    template <class... T>                                             \
    detail::nothing name(const std::string&, const detail::braces&) { \
        return name<T..., void>();                                    \
    }
// elementwise
USAGE(relu, "relu(x)")
USAGE(leaky_relu, "leaky_relu(x, slope)")
USAGE(elu, "elu(x, alpha)")
USAGE(selu, "selu(x)")
USAGE(gelu, "gelu(x)")
USAGE(sigmoid, "sigmoid(x)")
USAGE(silu, "silu(x)")
USAGE(softplus, "softplus(x)")
USAGE(mish, "mish(x)")
USAGE(hardswish, "hardswish(x)")
USAGE(remainder, "remainder(x, y)")
USAGE(negative, "negative(x)")
USAGE(logical_and, "logical_and(x, y)")
USAGE(logical_or, "logical_or(x, y)")
USAGE(logical_not, "logical_not(x)")
USAGE(deg2rad, "deg2rad(x)")
USAGE(rad2deg, "rad2deg(x)")
USAGE(sinc, "sinc(x)")
USAGE(modf, "auto [fraction, whole] = modf(x)")
USAGE(frexp, "auto [significand, exponent] = frexp(x)")
USAGE(isclose, "isclose(x, y, rtol, atol, equal_nan)")
USAGE(nan_to_num, "nan_to_num(x, nan, posinf, neginf)")
USAGE(arg, "arg(z)")
USAGE(abs2, "abs2(z)")
USAGE(astype, "astype<float>(x)")
USAGE(bit_cast, "bit_cast<int>(x)")

// like another array's shape; for numbers
USAGE(empty_like, "empty_like(x) or empty_like<float>(x)")
USAGE(zeros_like, "zeros_like(x) or zeros_like<float>(x)")
USAGE(ones_like, "ones_like(x) or ones_like<float>(x)")
USAGE(full_like, "full_like(x, value) or full_like<float>(x, value)")
NUMBERS(arange, "arange(stop), arange(start, stop) or arange(start, stop, step), of numbers")
NUMBERS(linspace, "linspace(start, stop, count, endpoint=false), of numbers; endpoint is a bool")
NUMBERS(logspace, "logspace(start, stop, count, base, endpoint=false), of numbers; endpoint is a bool")
NUMBERS(geomspace, "geomspace(start, stop, count, endpoint=false), of numbers; endpoint is a bool")

// from and to the host
NUMBERS(from_host, "from_host(v) of a container or from_host(v, {3, 4}); array{1, 2} makes an array from values")
NUMBERS(copy, "copy(x) of an array; to evaluate an expression write array y = e")
NUMBERS(data, "data(x) of an array; to evaluate an expression write array y = e")
USAGE(to_string, "to_string(x)")
USAGE(item, "item(sum(x)), of rank 0,")
USAGE(to_host, "to_host(x)")

// files
USAGE(save_npy, "save_npy(path, x)")
FILES(save_npy)
USAGE(save_npz, "save_npz(path, {{\"x\", x}, {\"y\", y}})")
FILES(save_npz)
LOADS(load_npy, "load_npy<double, 2>(path), with the dtype and the rank; inspect_npy(path) returns them at run time")
LOADS(map_npy, "map_npy<double, 2>(path), with the dtype and the rank; inspect_npy(path) returns them at run time")
LOADS(load_npz, "load_npz<double, 2>(path, name), with the dtype and the rank; inspect_npz(path) returns all three")

// over axes
USAGE(mean, "mean(x, axis=1, keepdims, where=mask)")
USAGE(var, "var(x, axis=1, keepdims, where=mask, ddof=1)")
USAGE(stddev, "stddev(x, axis=1, keepdims, where=mask, ddof=1)")
USAGE(ptp, "ptp(x, axis=1, keepdims)")
USAGE(count_nonzero, "count_nonzero(x, axis=1, keepdims, where=mask)")
USAGE(logsumexp, "logsumexp(x, axis=1, keepdims)")
USAGE(nansum, "nansum(x, axis=1, keepdims, where=mask, initial=0)")
USAGE(nanprod, "nanprod(x, axis=1, keepdims, where=mask, initial=1)")
USAGE(nanmean, "nanmean(x, axis=1, keepdims, where=mask)")
USAGE(nanvar, "nanvar(x, axis=1, keepdims, where=mask, ddof=1)")
USAGE(nanstd, "nanstd(x, axis=1, keepdims, where=mask, ddof=1)")
USAGE(norm, "norm(x, axis=1, keepdims, ord=1_c)")
USAGE(softmax, "softmax(x, axis=1)")
USAGE(log_softmax, "log_softmax(x, axis=1)")
USAGE(standardise, "standardise(x, axis=1, ddof=1)")
USAGE(layer_norm, "layer_norm(x, axis=-1, eps=1e-5)")
USAGE(rms_norm, "rms_norm(x, axis=-1, eps=1e-5)")
USAGE(argmax, "argmax(x, axis=1, keepdims)")
USAGE(argmin, "argmin(x, axis=1, keepdims)")
USAGE(cumsum, "cumsum(x, axis=1, exclusive, reverse)")
USAGE(cumprod, "cumprod(x, axis=1, exclusive, reverse)")
USAGE(cummax, "cummax(x, axis=1, reverse)")
USAGE(cummin, "cummin(x, axis=1, reverse)")
USAGE(scan, "scan(max, x, axis=1, reverse), for max any reduction,")

// products
USAGE(average, "average(x, weights, axis=1, keepdims)")
USAGE(trace, "trace(x, offset)")
USAGE(vecdot, "vecdot(x, y, axis=-1, keepdims)")
USAGE(dot, "dot(x, y)")
USAGE(inner, "inner(x, y)")
USAGE(outer, "outer(x, y)")
USAGE(matmul, "matmul(x, y) or matmul(x, y, precision=tf32)")

// derivatives
USAGE(grad, "grad(loss, w), for a loss such as sum(x * w) and a variable w in it,")
USAGE(value_and_grad, "value_and_grad(loss, w), for a loss such as sum(x * w) and a variable w in it,")

// random numbers
RANDOM(uniform, "uniform<float>(random_key(42), {3, 4}), of float or double")
RANDOM(normal, "normal<float>(random_key(42), {3, 4}), of float or double")
RANDOM(integers, "integers<int>(random_key(42), low, high, {3, 4}), of an integer type")
RANDOM(bernoulli, "bernoulli(random_key(42), p, {3, 4})")
RANDOM(permutation, "permutation(random_key(42), n)")
RANDOM(shuffle, "shuffle(random_key(42), x, axis=0)")

// views
USAGE(permute, "permute(x, {1, 0})")
USAGE(permute_dims, "permute_dims(x, {1, 0})")
USAGE(transpose, "transpose(x) or transpose(x, {1, 0})")
USAGE(matrix_transpose, "matrix_transpose(x)")
USAGE(broadcast_to, "broadcast_to(x, {3, 4})")
USAGE(broadcast_arrays, "auto [p, q] = broadcast_arrays(x, y)")
USAGE(meshgrid, "auto [p, q] = meshgrid(x, y)")
USAGE(reshape, "reshape(x, {3, 4})")
USAGE(ravel, "ravel(x)")
USAGE(repeat, "repeat(x, 2, axis=0)")
USAGE(tile, "tile(x, {2, 3})")
USAGE(diagonal, "diagonal(x, offset)")
USAGE(flip, "flip(x, axis=1)")
USAGE(roll, "roll(x, shift, axis=1)")
USAGE(swapaxes, "swapaxes(x, 0, 1)")
USAGE(moveaxis, "moveaxis(x, 0, -1)")
USAGE(expand_dims, "expand_dims(x, axis=0)")
USAGE(squeeze, "squeeze(x, axis=0)")
USAGE(unstack, "unstack(x, axis=0)")
USAGE(split, "split(x, parts, axis=0) or split(x, {2, 5}, axis=0)")
USAGE(array_split, "array_split(x, parts, axis=0)")
USAGE(concat, "concat(x, y, axis=0)")
USAGE(stack, "stack(x, y, axis=0)")
USAGE(pad, "pad(x, {{1, 1}, {0, 2}}, value)")
USAGE(take, "take(x, i, axis=0)")
USAGE(take_along_axis, "take_along_axis(x, i, axis=0)")
USAGE(put, "put(x, i, values, axis=0)")
USAGE(put_along_axis, "put_along_axis(x, i, values, axis=0)")
USAGE(scatter_add, "scatter_add(x, i, values, axis=0)")
USAGE(at, "at(x, i, axis=0) = values")
USAGE(tril, "tril(x, offset)")
USAGE(triu, "triu(x, offset)")

// neighbours, comparisons, counts
USAGE(diff, "diff(x, axis=-1)")
USAGE(gradient, "gradient(x, spacing, axis=-1)")
USAGE(trapezoid, "trapezoid(x, spacing, axis=-1)")
USAGE(cumulative_sum, "cumulative_sum(x, axis=1, include_initial)")
USAGE(cumulative_prod, "cumulative_prod(x, axis=1, include_initial)")
USAGE(unwrap, "unwrap(x, period, axis=-1)")
USAGE(allclose, "allclose(x, y, rtol, atol, equal_nan)")
USAGE(array_equal, "array_equal(x, y)")
USAGE(array_equiv, "array_equiv(x, y)")
USAGE(bincount, "bincount(i, n)")
USAGE(histogram, "histogram(x, edges)")
USAGE(positive, "positive(x)")
USAGE(complex, "complex(re, im)")
USAGE(polar, "polar(r, angle)")

// several results, names, constants
USAGE(pack, "pack(sum(x), max(x))")
USAGE(let, "let(sum(x), [](auto s) { return s * s; })")
USAGE(custom, "custom<float>(\"x * y\", x, y)")
USAGE(custom_reduce, "custom_reduce<float>(\"x > y ? x : y\", \"T(0)\", x)")
USAGE(stop_gradient, "stop_gradient(x)")
USAGE(explain, "explain(sum(x))")
USAGE(source, "source(sum(x))")

// made of numbers
NUMBERS(eye, "eye<float>(rows, columns, offset)")
NUMBERS(tri, "tri<float>(rows, columns, offset)")
NUMBERS(empty, "empty<float>({3, 4}) or empty<float>(x.shape())")
NUMBERS(zeros, "zeros<float>({3, 4}) or zeros<float>(x.shape())")
NUMBERS(ones, "ones<float>({3, 4}) or ones<float>(x.shape())")
NUMBERS(full, "full({3, 4}, value) or full(x.shape(), value)")
NUMBERS(range, "range(stop), range(start, stop) or range(start, stop, step), of integers, end and end - 1")
#undef USAGE
#undef FREE
#undef NUMBERS
#undef LOADS
#undef FILES
#undef RANDOM

// targets: what is assigned to them is no further error
template <class... T>
detail::refused tie(const detail::braces&, const detail::braces::value& = {}, const detail::braces::value& = {}) {
    static_assert(detail::never<T...>, "sinter: tie takes arrays, views and variables: tie(a, x(0), s) = pack(...)");
    return {};
}
template <class... T, class To>
detail::refused tie(const To&, const detail::braces&, const detail::braces::value& = {}) {
    return tie<T..., void>(detail::braces{});
}
template <class... T, class First, class Second>
detail::refused tie(const First&, const Second&, const detail::braces&) {
    return tie<T..., void>(detail::braces{});
}

}  // namespace sinter
