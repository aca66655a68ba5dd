// The same in NumPy, MatX and Sinter, and what is different. Sinter's column is run here, NumPy's by
// ../numpy_column.py.
#include <sinter/convolve.hpp>
#include <sinter/einsum.hpp>
#include <sinter/fft.hpp>
#include <sinter/groups.hpp>
#include <sinter/linalg.hpp>
#include <sinter/masks.hpp>
#include <sinter/op/composite/covariance.hpp>
#include <sinter/pad_modes.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/quantile.hpp>
#include <sinter/sort.hpp>
#include <sinter/tensor_products.hpp>
#include <sinter/unique.hpp>
#include <sinter/window_functions.hpp>

#include "show.hpp"

#include <cmath>

using namespace sinter;

/// NumPy's and MatX's code, as text, and Sinter's.
#define SAME(numpy, matx, ...)                                    \
    std::printf("> %s\n> %s\n> %s\n", numpy, matx, #__VA_ARGS__); \
    std::puts(shown(__VA_ARGS__).c_str())

/// NumPy's code, what it gives there, or raises, and Sinter's code, which gives something else.
#define DIFFERENT(numpy, gives, ...)                               \
    std::printf("> %s\n> %s\n> %s\n", numpy, gives, #__VA_ARGS__); \
    std::printf("%s %s\n", shown(__VA_ARGS__).c_str(), name(std::remove_cvref_t<decltype(__VA_ARGS__)>::type))

static void different() {
    const array<int, 1> i = {7, -7, 2};
    const array<float, 1> f = {1.5f, -0.5f, 2};
    const array<float16, 1> h = {float16(300), float16(1), float16(2)};
    const array<bool, 1> p = {true, true, false};
    const array<double, 1> infinite = {-HUGE_VAL}, w = {1, -1};
    const array<double, 3> t = reshape(astype<double>(arange(8)), {2, 2, 2});

    SECTION(different_dtypes);
    DIFFERENT("i + f", "[ 8.5 -7.5  4. ] float64", i + f);
    DIFFERENT("h + i", "[307.  -6.   4.] float64", h + i);
    DIFFERENT("np.sqrt(p)", "[1. 1. 0.] float16", sqrt(p));
    DIFFERENT("np.round(i, -1)", "[ 10 -10   0] int32", round(i, -1));
    DIFFERENT("i ** 2", "[49 49  4] int32", pow(i, 2));
    DIFFERENT("i ** -1", "raises ValueError", pow(i, -1));
    DIFFERENT("np.reciprocal(i)", "[0 0 0] int32", reciprocal(i));
    DIFFERENT("np.bitwise_count(i)", "[3 3 1] uint8", popcount(i));

    SECTION(different_halves);
    DIFFERENT("h * h / h", "[inf  1.  2.] float16", h * h / h);
    DIFFERENT("np.linalg.norm(h)", "inf float16", norm(h));
    DIFFERENT("np.nextafter(h, np.float16(0))", "[299.8      0.9995   1.999 ] float16", nextafter(h, 0));

    SECTION(different_values);
    DIFFERENT("np.average(w, weights=w)", "raises ZeroDivisionError", average(w, w));
    DIFFERENT("infinite ** 0.5", "[nan] float64", pow(infinite, 0.5));
    DIFFERENT("np.trace(t)", "[6. 8.] float64", trace(t));
}

int main() {
    const array<double, 2> x = {{1, 2, 3}, {4, 5, 7}};
    const array<double, 1> v = {3, 1, 2};
    const array<int, 1> i = {7, -7, 2};

    SECTION(elements);
    SAME("x * x + 2", "x * x + 2", x * x + 2);
    SAME("np.where(x > 2, x, 0)", "IFELSE(x > 2, y = x, y = 0)", where(x > 2, x, 0));
    SAME("np.clip(x, 2, 4)", "min(max(x, 2.0), 4.0)", clip(x, 2, 4));
    SAME("np.abs(v - 2)", "abs(v - 2)", abs(v - 2));
    SAME("i / 2", "as_double(i) / 2", i / 2);
    SAME("i // 2", "", floor_divide(i, 2));
    SAME("i % 3", "i % 3", i % 3);
    SAME("v.astype(np.int32)", "as_int32(v)", astype<int>(v));
    SAME("v + 1j * i", "", complex(v, i));

    SECTION(reductions);
    SAME("x.sum()", "sum(x)", sum(x));
    SAME("x.sum(axis=1)", "sum(x, {1})", sum(x, axis=1));
    SAME("x.sum(axis=1, keepdims=True)", "", sum(x, axis=1, keepdims));
    SAME("x.mean(axis=0)", "mean(x, {0})", mean(x, axis=0));
    SAME("x.var(axis=1, ddof=1)", "var(x, {1})", var(x, axis=1, ddof=1));
    SAME("x.max(axis=(0, 1))", "max(x)", max(x, axis={0, 1}));
    SAME("x.sum(axis=1, where=x > 2)", "", sum(x, axis=1, where=x > 2));
    SAME("x.argmax(axis=1)", "(mtie(m, i) = argmax(x, {1})).run()", argmax(x, axis=1));
    SAME("np.cumsum(x, axis=1)", "cumsum(x)", cumsum(x, axis=1));
    SAME("np.diff(x)", "", diff(x));
    SAME("np.gradient(v)", "", gradient(v));
    SAME("np.trapezoid(x, axis=1)", "", trapezoid(x, axis=1));
    SAME("np.cov(x)", "cov(x)", cov(x));
    SAME("np.corrcoef(x)", "", corrcoef(x));
    SAME("np.histogram(v, bins=2)[0]", "hist(v, 1.0, 3.0, 2)", histogram(v, histogram_bin_edges(v, 2)));
    SAME("np.bincount([0, 1, 0], weights=v)", "", bincount(array<int, 1>{0, 1, 0}, v, 2));
    SAME("np.unwrap(3 * v)", "unwrap(3 * v)", unwrap(3 * v));
    SAME("x - x.max(axis=1, keepdims=True)", "x - clone<2>(max(x, {1}), {matxKeepDim, 3})",
         x - max(x, axis=1, keepdims));

    SECTION(views);
    SAME("x[1, 2]", "x(1, 2)", x(1, 2));
    SAME("x[0]", "slice<1>(x, {0, 0}, {matxDropDim, matxEnd})", x(0));
    SAME("x[:, 1:]", "slice(x, {0, 1}, {matxEnd, matxEnd})", x(all, range(1, end)));
    SAME("x[:, ::-1]", "reverse<1>(x)", flip(x, axis=1));
    SAME("x.T", "permute(x, {1, 0})", transpose(x));
    SAME("x.reshape(3, 2)", "reshape(x, {3, 2})", reshape(x, {3, 2}));
    SAME("v[:, None] - v[None, :]", "clone<2>(v, {matxKeepDim, 3}) - clone<2>(v, {3, matxKeepDim})",
         v(all, newaxis) - v(newaxis, all));
    SAME("x[..., -1]", "", x(ellipsis, end - 1));
    SAME("x[:, [2, 0]]", "remap<1>(x, indices)", x(all, array<int, 1>{2, 0}));
    SAME("x.reshape(-1)", "flatten(x)", reshape(x, -1));
    SAME("np.swapaxes(x, 0, 1)", "transpose(x)", swapaxes(x, 0, 1));
    SAME("np.moveaxis(x, 0, -1)", "permute(x, {1, 0})", moveaxis(x, 0, -1));
    SAME("np.expand_dims(v, axis=0)", "clone<2>(v, {1, matxKeepDim})", expand_dims(v, axis=0));
    SAME("np.squeeze(v[None], axis=0)", "", squeeze(v(newaxis), axis=0));
    SAME("np.flip(x)", "reverse<0, 1>(x)", flip(x));
    SAME("np.roll(x, 1)", "", roll(x, 1));
    SAME("np.roll(x, (1, 2), axis=(0, 1))", "shift<0, 1>(x, 1, 2)", roll(x, {1, 2}, axis={0, 1}));
    SAME("np.concatenate([v, v])", "concat(0, v, v)", concat(v, v));
    SAME("np.stack([v, v], axis=1)", "stack(1, v, v)", stack(v, v, axis=1));
    SAME("np.stack([v.sum(), 2.0])", "", stack(sum(v), 2.0));
    SAME("x[x > 2]", "(mtie(y, n) = find(x, GT{2.0})).run()", array(x(x > 2)));
    SAME("x[x > 2].sum()", "", sum(x(x > 2)));
    SAME("x[[0, 1], [2, 0]]", "", x(array<int, 1>{0, 1}, array<int, 1>{2, 0}));
    SAME("np.nonzero(x > 2)[0]", "(mtie(i, n) = find_idx(x, GT{2.0})).run()", nonzero(x > 2)[0]);
    SAME("np.compress([True, False, True], x, axis=1)", "", compress(array<bool, 1>{true, false, true}, x, axis=1));
    SAME("np.repeat(v, [2, 0, 1])", "", repeat(v, array<int, 1>{2, 0, 1}));
    SAME("np.array_split(v, 2)[0]", "", array_split(v, 2)[0]);
    SAME("np.meshgrid(v, v)[1]", "", std::get<1>(meshgrid(v, v)));
    SAME("np.pad(v, 2, mode='reflect')", "", pad(v, {{2, 2}}, pad_mode::reflect));
    SAME("np.lib.stride_tricks.sliding_window_view(v, 2)", "", sliding_window(v, 2));
    SAME("np.take(v, [2, 0])", "remap<0>(v, indices)", take(v, array<int, 1>{2, 0}));

    SECTION(made);
    SAME("np.zeros((2, 2))", "zeros<double>({2, 2})", zeros<double>({2, 2}));
    SAME("np.arange(4)", "range<0>({4}, 0, 1)", arange(4));
    SAME("np.zeros(2)", "zeros<double>({2})", zeros(2));
    SAME("np.zeros_like(v)", "", zeros_like(v));
    SAME("np.full_like(x, 7, dtype=np.int32)", "", full_like<int>(x, 7));
    SAME("np.full(x.shape, 0.5)", "ones<double>({2, 3}) * 0.5", full(x.shape(), 0.5));
    SAME("np.array(0.5)", "", array<double, 0>(0.5));
    SAME("np.arange(0, 1, 0.25)", "range<0>({4}, 0.0, 0.25)", arange(0, 1, 0.25));
    SAME("np.linspace(0, 1, 3)", "linspace<0>({3}, 0.0, 1.0)", linspace(0, 1, 3));
    SAME("np.linspace(0, 1, 4, endpoint=False)", "", linspace(0, 1, 4, endpoint=false));
    SAME("np.logspace(0, 3, 4)", "logspace<0>({4}, 0.0, 3.0)", logspace(0, 3, 4));
    SAME("np.geomspace(1, 1000, 4)", "", geomspace(1, 1000, 4));
    SAME("np.hamming(3)", "hamming<0>({3})", hamming(3));
    SAME("np.kaiser(3, 8.6)", "", kaiser(3, 8.6));
    SAME("np.vander(v, 3)", "", vander(v, 3));
    SAME("np.diag(v)", "", diag(v));
    SAME("np.eye(2)", "eye<double>({2, 2})", eye<double>(2));

    SECTION(otherwise);
    SAME("np.hstack([v, v])", "concat(0, v, v)", concat(v, v));
    SAME("np.vstack([v, v])", "stack(0, v, v)", stack(v, v));
    SAME("np.append(v, 5)", "", concat(v, array<double, 1>{5}));
    SAME("np.insert(v, 1, 9)", "", concat(v(range(0, 1)), array<double, 1>{9}, v(range(1, end))));
    SAME("np.delete(v, 1)", "", concat(v(range(0, 1)), v(range(2, end))));
    SAME("np.hsplit(x[:, :2], 2)[1]", "", split(x(all, range(0, 2)), 2, axis=1)[1]);
    SAME("np.rot90(x)", "", flip(transpose(x), axis=0));
    SAME("np.rollaxis(x, 1)", "permute(x, {1, 0})", moveaxis(x, 1, 0));
    SAME("x[np.ix_([1, 0], [2, 0])]", "", x(array<int, 1>{1, 0}, all)(all, array<int, 1>{2, 0}));
    SAME("np.select([v > 2, v > 1], [v, -v])", "", where(v > 2, v, where(v > 1, -v, 0)));
    SAME("np.piecewise(v, [v > 2], [9, 4])", "", where(v > 2, 9.0, 4.0));
    SAME("np.fromfunction(lambda a, b: a - b, (2, 2), dtype=int)", "", arange(2)(all, newaxis) - arange(2));
    SAME("np.divmod(i, 3)[1]", "", i % 3);
    SAME("np.fix(v / -2)", "", trunc(v / -2));
    SAME("np.vdot(v, v)", "", vecdot(v, v));
    SAME("np.matvec(x, v)", "matvec(x, v)", matmul(x, v));
    SAME("np.linalg.multi_dot([x, x.T, x])", "", matmul(matmul(x, transpose(x)), x));
    SAME("np.nanpercentile(x, 30)", "", nanquantile(x, 0.3));
    SAME("np.apply_over_axes(np.sum, x, [0, 1])", "", sum(x, axis={0, 1}, keepdims));
    SAME("np.isneginf(np.log(v - 1))", "", isinf(log(v - 1)) && log(v - 1) < 0);
    SAME("np.spacing(v)", "", nextafter(v, HUGE_VAL) - v);
    SAME("np.ndim(x)", "x.Rank()", x.rank);
    SAME("np.array_str(v)", "", to_string(v));

    SECTION(sorting);
    SAME("np.sort(v)", "sort(v, SORT_DIR_ASC)", sort(v));
    SAME("np.sort(x, axis=0)", "", sort(x, axis=0));
    SAME("-np.sort(-v)", "sort(v, SORT_DIR_DESC)", sort(v, descending));
    SAME("np.argsort(v)", "argsort(v, SORT_DIR_ASC)", argsort(v));
    SAME("np.median(x, axis=1)", "median(x, {1})", median(x, axis=1));
    SAME("np.percentile(x, 30)", "percentile(x, 30)", percentile(x, 30));
    SAME("np.quantile(x, 0.3, axis=0, method='hazen')", "", quantile(x, 0.3, quantile_method::hazen, axis=0));
    SAME("np.searchsorted([1, 2, 4], v, side='right')", "", searchsorted(array<int, 1>{1, 2, 4}, v, side::right));
    SAME("np.digitize(v, [1, 2.5])", "", digitize(v, array<double, 1>{1, 2.5}));
    SAME("np.interp(v, [1, 3], [10, 20])", "interp1(v, px, py)",
         interp(v, array<double, 1>{1, 3}, array<double, 1>{10, 20}));
    SAME("np.isin(x, [2, 7])", "", isin(x, array<int, 1>{2, 7}));
    SAME("np.unique(x)", "(mtie(u, n) = unique(x)).run()", unique(x));
    SAME("np.union1d(v, [9, 1])", "", union1d(v, array<double, 1>{9, 1}));

    SECTION(products);
    SAME("x @ x.T", "matmul(x, transpose(x))", matmul(x, transpose(x)));
    SAME("np.einsum('ij,ij->i', x, x)", "cutensor::einsum(\"ij,ij->i\", x, x)", einsum<"ij,ij->i">(x, x));
    SAME("np.tensordot(x, x, axes=2)", "", tensordot<2>(x, x));
    SAME("np.kron(v, v)", "kron(v, v)", kron(v, v));
    SAME("np.cross(v, x)", "", cross(v, x));
    SAME("np.convolve(v, [1, 2])", "conv1d(v, w, MATX_C_MODE_FULL)", convolve(v, array<double, 1>{1, 2}));
    SAME("np.polyval([1, 0, -2], v)", "polyval(v, coefficients)", polyval({1, 0, -2}, v));
    SAME("np.outer(v, v)", "outer(v, v)", outer(v, v));
    SAME("np.linalg.norm(x, axis=1)", "vector_norm(x, {1}, NormOrder::L2)", norm(x, axis=1));

    SECTION(linalg);
    SAME("np.linalg.solve(x[:, :2], v[:2])", "solve(a, b)", solve(x(all, range(0, 2)), v(range(0, 2))));
    SAME("np.linalg.inv(x[:, :2])", "inv(x)", inv(x(all, range(0, 2))));
    SAME("np.linalg.cholesky(x @ x.T)", "chol(x, SolverFillMode::LOWER)", cholesky(matmul(x, transpose(x))));
    SAME("np.linalg.eigvalsh(x @ x.T)", "eig(x)", eigvalsh(matmul(x, transpose(x))));
    SAME("np.linalg.svdvals(x)", "svd(x)", svdvals(x));
    SAME("np.linalg.pinv(v[:, None])", "pinv(x)", pinv(v(all, newaxis)));
    SAME("np.linalg.lstsq(x.T, v)[0]", "", lstsq(transpose(x), v));
    SAME("np.linalg.matrix_power(x[:, :2], 2)", "", matrix_power(x(all, range(0, 2)), 2_c));
    SAME("np.linalg.matrix_rank(x)", "", matrix_rank(x));

    SECTION(spectra);
    SAME("np.fft.fft(v)", "fft(v)", fft(v));
    SAME("np.fft.ifft(v)", "ifft(v)", ifft(v));
    SAME("np.fft.rfft(x, axis=1)", "rfft(x)", rfft(x, axis=1));
    SAME("np.fft.irfft(v, 3)", "irfft(v, 3)", irfft(v, 3));
    SAME("np.fft.fft(v, 4, norm='ortho')", "fft(v, 4, FFTNorm::ORTHO)", fft(v, 4, fft_norm::ortho));
    SAME("np.fft.fftn(x)", "fft2(x)", fftn(x));
    SAME("np.fft.fftfreq(4, 0.5)", "fftfreq(4, 0.5)", fftfreq(4, 0.5));
    SAME("np.fft.fftshift(v)", "fftshift1D(v)", fftshift(v));
    different();
}
