// The functions of the Python array API standard, in NumPy, which has them by the standard's names, and in Sinter.
// NumPy's column is run by ../numpy_column.py, which also knows the standard's list.
#include <sinter/dlpack.hpp>
#include <sinter/masks.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/sort.hpp>
#include <sinter/tensor_products.hpp>
#include <sinter/unique.hpp>

#include "show.hpp"

#include <vector>

using namespace sinter;

/// A truth as NumPy prints it.
static std::string shown_here(bool b) { return b ? "True" : "False"; }
template <class T>
static std::string shown_here(const T& value) {
    return shown(value);
}

/// NumPy's code and the standard's name, as text, and Sinter's code.
#define SAME(numpy, standard, ...)                                    \
    std::printf("> %s\n> %s\n> %s\n", numpy, standard, #__VA_ARGS__); \
    std::puts(shown_here(__VA_ARGS__).c_str())

int main() {
    const array<double, 2> x = {{1, 2, 3}, {4, 5, 7}};
    const array<double, 1> v = {3, 1, 2};
    const array<int, 1> i = {7, -7, 2};
    const array<float, 1> f = {1.5f, -0.5f, 2};
    const array<bool, 1> p = {true, true, false};
    const array<std::complex<double>, 1> z = {{3, 4}, {0, -1}};

    SECTION(array_api_creation);
    SAME("np.arange(1, 7, 2)", "arange", arange(1, 7, 2));
    SAME("np.asarray([1.5, 2])", "asarray", from_host(std::vector<double>{1.5, 2}));
    SAME("np.empty((2, 3)).shape", "empty", empty({2, 3}).shape());
    SAME("np.empty_like(v).shape", "empty_like", empty_like(v).shape());
    SAME("np.eye(2)", "eye", eye<double>(2));
    SAME("np.from_dlpack(v)", "from_dlpack", from_dlpack<double, 1>(to_dlpack(v)));
    SAME("np.full((2,), 7)", "full", full({2}, 7));
    SAME("np.full_like(v, 7)", "full_like", full_like(v, 7));
    SAME("np.linspace(0, 1, 3)", "linspace", linspace(0, 1, 3));
    SAME("np.meshgrid(v, f)[0]", "meshgrid", std::get<0>(meshgrid(v, f)));
    SAME("np.ones(2)", "ones", ones(2));
    SAME("np.ones_like(v)", "ones_like", ones_like(v));
    SAME("np.tril(x)", "tril", tril(x));
    SAME("np.triu(x)", "triu", triu(x));
    SAME("np.zeros(2)", "zeros", zeros(2));
    SAME("np.zeros_like(v)", "zeros_like", zeros_like(v));

    SECTION(array_api_dtypes);
    SAME("np.astype(v, np.int32)", "astype", astype<int>(v));
    SAME("np.can_cast(np.int32, np.float64)", "can_cast", can_cast(dtype::int32, dtype::float64));
    SAME("np.finfo(np.float64).eps", "finfo", finfo<double>().eps);
    SAME("np.iinfo(np.int16).max", "iinfo", iinfo<short>().max);
    SAME("np.isdtype(f.dtype, 'real floating')", "isdtype", isdtype(f.dtype(), "real floating"));
    SAME("np.result_type(f, np.int8, 1.5)", "result_type", name(result_type(f, dtype::int8, 1.5)));

    SECTION(array_api_elementwise);
    SAME("np.abs(i)", "abs", abs(i));
    SAME("np.acos(v / 4)", "acos", acos(v / 4));
    SAME("np.acosh(v)", "acosh", acosh(v));
    SAME("np.asin(v / 4)", "asin", asin(v / 4));
    SAME("np.asinh(v)", "asinh", asinh(v));
    SAME("np.atan(v)", "atan", atan(v));
    SAME("np.atanh(v / 4)", "atanh", atanh(v / 4));
    SAME("np.ceil(f)", "ceil", ceil(f));
    SAME("np.cos(v)", "cos", cos(v));
    SAME("np.cosh(v)", "cosh", cosh(v));
    SAME("np.exp(v)", "exp", exp(v));
    SAME("np.expm1(v)", "expm1", expm1(v));
    SAME("np.floor(i)", "floor", floor(i));
    SAME("np.log(v)", "log", log(v));
    SAME("np.log10(v)", "log10", log10(v));
    SAME("np.log1p(v)", "log1p", log1p(v));
    SAME("np.log2(v)", "log2", log2(v));
    SAME("np.reciprocal(v)", "reciprocal", reciprocal(v));
    SAME("np.sign(i)", "sign", sign(i));
    SAME("np.sin(v)", "sin", sin(v));
    SAME("np.sinh(v)", "sinh", sinh(v));
    SAME("np.sqrt(v)", "sqrt", sqrt(v));
    SAME("np.square(v)", "square", square(v));
    SAME("np.tan(v)", "tan", tan(v));
    SAME("np.tanh(v)", "tanh", tanh(v));
    SAME("np.trunc(f)", "trunc", trunc(f));
    SAME("np.round(f)", "round", round(f));
    SAME("np.signbit(f)", "signbit", signbit(f));
    SAME("np.isfinite(v)", "isfinite", isfinite(v));
    SAME("np.isinf(v)", "isinf", isinf(v));
    SAME("np.isnan(v)", "isnan", isnan(v));
    SAME("np.negative(v)", "negative", negative(v));
    SAME("np.positive(v)", "positive", positive(v));
    SAME("np.atan2(v, 2)", "atan2", atan2(v, 2));
    SAME("np.copysign(v, -1)", "copysign", copysign(v, -1));
    SAME("np.floor_divide(v, 2)", "floor_divide", floor_divide(v, 2));
    SAME("np.hypot(v, 4)", "hypot", hypot(v, 4));
    SAME("np.logaddexp(v, 1)", "logaddexp", logaddexp(v, 1));
    SAME("np.maximum(v, 2)", "maximum", maximum(v, 2));
    SAME("np.minimum(v, 2)", "minimum", minimum(v, 2));
    SAME("np.nextafter(v, 0)", "nextafter", nextafter(v, 0));
    SAME("np.pow(v, 2)", "pow", pow(v, 2));
    SAME("np.remainder(v, 2)", "remainder", remainder(v, 2));
    SAME("np.add(v, 2)", "add", v + 2);
    SAME("np.subtract(v, 2)", "subtract", v - 2);
    SAME("np.multiply(v, 2)", "multiply", v * 2);
    SAME("np.divide(v, 2)", "divide", v / 2);
    SAME("np.equal(v, 2)", "equal", v == 2);
    SAME("np.not_equal(v, 2)", "not_equal", v != 2);
    SAME("np.less(v, 2)", "less", v < 2);
    SAME("np.less_equal(v, 2)", "less_equal", v <= 2);
    SAME("np.greater(v, 2)", "greater", v > 2);
    SAME("np.greater_equal(v, 2)", "greater_equal", v >= 2);
    SAME("np.bitwise_and(i, 3)", "bitwise_and", i & 3);
    SAME("np.bitwise_or(i, 8)", "bitwise_or", i | 8);
    SAME("np.bitwise_xor(i, 1)", "bitwise_xor", i ^ 1);
    SAME("np.bitwise_left_shift(i, 1)", "bitwise_left_shift", i << 1);
    SAME("np.bitwise_right_shift(i, 1)", "bitwise_right_shift", i >> 1);
    SAME("np.bitwise_invert(i)", "bitwise_invert", ~i);
    SAME("np.clip(v, 2, None)", "clip", clip(v, 2, std::nullopt));
    SAME("np.conj(z)", "conj", conj(z));
    SAME("np.imag(z)", "imag", imag(z));
    SAME("np.real(z)", "real", real(z));
    SAME("np.logical_and(p, v > 1)", "logical_and", p && v > 1);
    SAME("np.logical_or(p, v > 1)", "logical_or", p || v > 1);
    SAME("np.logical_not(p)", "logical_not", !p);
    SAME("np.logical_xor(p, v > 1)", "logical_xor", logical_xor(p, v > 1));

    SECTION(array_api_indexing);
    SAME("np.take(v, [2, 0])", "take", take(v, array<int, 1>{2, 0}));
    SAME("np.take_along_axis(x, np.argmax(x, axis=1, keepdims=True), axis=1)", "take_along_axis",
         take_along_axis(x, argmax(x, axis=1, keepdims), axis=1));

    SECTION(array_api_linear_algebra);
    SAME("np.matmul(x, v)", "matmul", matmul(x, v));
    SAME("np.matrix_transpose(x)", "matrix_transpose", matrix_transpose(x));
    SAME("np.tensordot(x, x, axes=2)", "tensordot", tensordot<2>(x, x));
    SAME("np.vecdot(x, v)", "vecdot", vecdot(x, v));

    SECTION(array_api_manipulation);
    SAME("np.broadcast_arrays(v, x)[0]", "broadcast_arrays", std::get<0>(broadcast_arrays(v, x)));
    SAME("np.broadcast_to(v, (2, 3))", "broadcast_to", broadcast_to(v, {2, 3}));
    SAME("np.concat([v, v])", "concat", concat(v, v));
    SAME("np.expand_dims(v, axis=0)", "expand_dims", expand_dims(v, axis=0));
    SAME("np.flip(v)", "flip", flip(v));
    SAME("np.moveaxis(x, 0, 1)", "moveaxis", moveaxis(x, 0, 1));
    SAME("np.permute_dims(x, (1, 0))", "permute_dims", permute_dims(x, {1, 0}));
    SAME("np.repeat(v, [1, 0, 2])", "repeat", repeat(v, array<int, 1>{1, 0, 2}));
    SAME("np.reshape(x, (3, 2))", "reshape", reshape(x, {3, 2}));
    SAME("np.roll(v, 1)", "roll", roll(v, 1));
    SAME("np.squeeze(v[None], axis=0)", "squeeze", squeeze(v(newaxis), axis=0));
    SAME("np.stack([v, v])", "stack", stack(v, v));
    SAME("np.tile(v, (2,))", "tile", tile(v, {2}));
    SAME("np.unstack(x)[1]", "unstack", unstack(x)[1]);

    SECTION(array_api_searching);
    SAME("np.argmax(v)", "argmax", argmax(v));
    SAME("np.argmin(v)", "argmin", argmin(v));
    SAME("np.count_nonzero(x > 2, axis=1)", "count_nonzero", count_nonzero(x > 2, axis=1));
    SAME("np.nonzero(x > 2)[1]", "nonzero", nonzero(x > 2)[1]);
    SAME("np.searchsorted([1, 2, 4], v)", "searchsorted", searchsorted(array<int, 1>{1, 2, 4}, v));
    SAME("np.where(p, v, 0)", "where", where(p, v, 0));

    SECTION(array_api_sets);
    SAME("np.unique_all(i).indices", "unique_all", unique_all(i).indices);
    SAME("np.unique_counts(i).counts", "unique_counts", unique_counts(i).counts);
    SAME("np.unique_inverse(i).inverse_indices", "unique_inverse", unique_inverse(i).inverse);
    SAME("np.sort(np.unique_values(i))", "unique_values", unique_values(i));

    SECTION(array_api_sorting);
    SAME("np.argsort(v)", "argsort", argsort(v));
    SAME("np.sort(x, axis=0)", "sort", sort(x, axis=0));

    SECTION(array_api_statistics);
    SAME("np.cumulative_prod(v)", "cumulative_prod", cumulative_prod(v));
    SAME("np.cumulative_sum(v, include_initial=True)", "cumulative_sum", cumulative_sum(v, include_initial));
    SAME("np.max(x, axis=0)", "max", max(x, axis=0));
    SAME("np.mean(x, axis=1)", "mean", mean(x, axis=1));
    SAME("np.min(x)", "min", min(x));
    SAME("np.prod(x, axis=1)", "prod", prod(x, axis=1));
    SAME("np.std(v)", "std", stddev(v));
    SAME("np.sum(x, axis=1)", "sum", sum(x, axis=1));
    SAME("np.var(v, ddof=1)", "var", var(v, ddof=1));

    SECTION(array_api_utility);
    SAME("np.all(x > 1, axis=0)", "all", all(x > 1, axis=0));
    SAME("np.any(x > 4, axis=1)", "any", any(x > 4, axis=1));
    SAME("np.diff(v)", "diff", diff(v));
}
