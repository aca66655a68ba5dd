// launches<E>: how many kernels an expression becomes, as the C++ compiler counts them.
#include <sinter.hpp>

namespace operands {
extern sinter::array<float, 1> v;
extern sinter::array<float, 2> x;
extern sinter::array<float, 2> y;
extern sinter::array<float, 3> z;
}  // namespace operands

using namespace operands;
using namespace sinter;

#define LAUNCHES(...) sinter::launches<decltype(__VA_ARGS__)>

// elementwise, however long
static_assert(LAUNCHES(x + y) == 1);
static_assert(LAUNCHES(exp(-0.5f * square(x - v)) * where(x > 0, x, 0.f)) == 1);
static_assert(LAUNCHES(transpose(x) + permute(y, {1, 0})) == 1);

// one reduction, whatever stands before and after it
static_assert(LAUNCHES(sum(x)) == 1);
static_assert(LAUNCHES(sqrt(sum(z * z, axis=2))) == 1);
static_assert(LAUNCHES(sum(z, axis={0, 2}, keepdims)) == 1);
static_assert(LAUNCHES(x / sum(x)) == 1);
static_assert(LAUNCHES(transpose(sum(z, axis=0))) == 1);

// reduce, broadcast back, reduce again: the axes that are kept agree
constexpr auto written_softmax = [](const auto& a, auto over) {
    auto e = exp(a - max(a, axis=over, keepdims));
    return e / sum(e, axis=over, keepdims);
};
static_assert(LAUNCHES(written_softmax(x, 1_c)) == 1);
static_assert(LAUNCHES(written_softmax(x, 0_c)) == 1);
static_assert(LAUNCHES(written_softmax(z, 1_c)) == 1);
static_assert(LAUNCHES(written_softmax(z, -1_c)) == 1);

constexpr auto written_variance = [](const auto& a, auto over) {
    return mean(square(a - mean(a, axis=over, keepdims)), axis=over, keepdims);
};
static_assert(LAUNCHES(written_variance(x, 0_c)) == 1);
static_assert(LAUNCHES(written_variance(x, 1_c)) == 1);
static_assert(LAUNCHES(mean(square(x - mean(x, axis=0_c)), axis=0_c)) == 1);
static_assert(LAUNCHES((x - mean(x, axis=1_c, keepdims)) / sqrt(written_variance(x, 1_c) + 1e-5f)) == 1);
static_assert(LAUNCHES(sum(square(v - mean(v)))) == 1);

// the composite functions
static_assert(LAUNCHES(softmax(x, axis=1_c)) == 1);
static_assert(LAUNCHES(softmax(z, axis=0_c)) == 1);
static_assert(LAUNCHES(var(x, axis=0_c)) == 1);
static_assert(LAUNCHES(stddev(x)) == 1);
static_assert(LAUNCHES(norm(z, axis={0, 2})) == 1);
static_assert(LAUNCHES(count_nonzero(x)) == 1);

// several reductions over the same axes
static_assert(LAUNCHES(max(x, axis=1_c) - min(x, axis=1_c)) == 1);
static_assert(LAUNCHES(sum(x) / sum(y)) == 1);
static_assert(LAUNCHES(sum(x, axis=0_c) * sum(y, axis=0_c)) == 1);
static_assert(LAUNCHES(max(x, axis=1_c) + sum(y, axis=0_c)) == 1);  // both keep the result's one axis

// scans, along any axis and beside the reduction of the same one
static_assert(LAUNCHES(cumsum(v, axis=0)) == 1);
static_assert(LAUNCHES(cummax(z, axis=1)) == 1);
static_assert(LAUNCHES(cumprod(transpose(x) * 2, axis=-1_c) + y) == 1);
static_assert(LAUNCHES(cumsum(x, axis=1_c) / sum(x, axis=1_c, keepdims)) == 1);

// read and written at computed indices, joined, surrounded
static_assert(LAUNCHES(take(v, astype<int>(v)) + 1) == 1);
static_assert(LAUNCHES(put(v, astype<int>(v), 0)) == 1);
static_assert(LAUNCHES(scatter_add(v, astype<int>(v), v)) == 1);
static_assert(LAUNCHES(sum(concat(axis=0, x, exp(y)), axis=0_c)) == 1);
static_assert(LAUNCHES(pad(roll(x, 1, axis=0), {{1, 1}, {0, 2}})) == 1);

// run-time axes whose values cannot change the count
static_assert(LAUNCHES(sum(x, axis=0) + 1) == 1);
static_assert(LAUNCHES(sum(v, axis=0) / max(v, axis=0)) == 1);

// reductions that keep different axes wait for each other
static_assert(LAUNCHES(x - mean(x, axis=0_c) - mean(x, axis=1_c, keepdims)) == 2);
static_assert(LAUNCHES(sum(max(x, axis=1_c))) == 2);
static_assert(LAUNCHES(max(x, axis=1_c, keepdims) + sum(y, axis=0_c)) == 2);
static_assert(LAUNCHES(written_softmax(written_softmax(x, 1_c), 0_c)) >= 2);

static_assert(LAUNCHES(sum(max(x, axis=1)) + 0 * sum(v)) == 2);

// a reduction of a reduction by the same op is one; by another op it waits
static_assert(LAUNCHES(sum(sum(sum(z, axis=0_c), axis=0_c))) == 1);
static_assert(LAUNCHES(mean(sum(exp(x), axis=1_c))) == 1);
static_assert(LAUNCHES(max(max(z, axis=2_c, keepdims), axis=1_c, keepdims)) == 1);
static_assert(LAUNCHES(sum(matmul(exp(x), v))) == 1);
static_assert(LAUNCHES(max(sum(max(z, axis=0_c), axis=0_c))) == 3);

// several reductions that wait and meet in one expression are one kernel, which stores that
static_assert(LAUNCHES(mean(logsumexp(x, axis=1_c))) == 2);
static_assert(LAUNCHES(mean(logsumexp(x, axis=1_c) - sum(where(x > 0, x, 0), axis=1_c))) == 2);
static_assert(LAUNCHES(x / max(x, axis=0_c) / (max(x, axis=1_c, keepdims) - min(x, axis=1_c, keepdims))) == 2);

// the reduction over the most elements decides which others wait
static_assert(LAUNCHES(sum(v) + softmax(x, axis=1_c)) == 2);
static_assert(LAUNCHES(x - mean(x) + softmax(x, axis=1_c)) == 2);

// several results: elementwise ones are stored on the way of the reductions, in any order
static_assert(LAUNCHES(pack(exp(x), sum(exp(x), axis=1_c))) == 1);
static_assert(LAUNCHES(pack(clip(x, -1, 1), mean(abs(x)))) == 1);
static_assert(LAUNCHES(pack(x, standardise(x, axis=1_c), x * 2)) == 1);
static_assert(LAUNCHES(pack(matmul(x, y), x + 1)) == 2);

// products of matrices are launches of their own, and so are their computed operands
extern sinter::array<float16, 2> h;
static_assert(LAUNCHES(matmul(x, y)) == 1);
static_assert(LAUNCHES(matmul(z, transpose(x))) == 1);
static_assert(LAUNCHES(matmul(x(range(1, end), all), y)) == 1);
static_assert(LAUNCHES(matmul(permute(reshape(x, {2, 3, 4}), {1, 0, 2}), y)) == 1);
static_assert(LAUNCHES(matmul(x, v) + 1) == 1);
static_assert(LAUNCHES(max(matmul(exp(x), v))) == 2);
static_assert(LAUNCHES(matmul(exp(x), y)) == 2);
static_assert(LAUNCHES(matmul(h, h)) == 1);
static_assert(LAUNCHES(matmul(h + 1, h)) == 2);
static_assert(LAUNCHES(relu(matmul(x, y) + v)) == 2);  // at most: it is one where it joins the product
static_assert(LAUNCHES(softmax(matmul(x, y), axis=1_c)) >=
              2);  // at most: its type mentions the product more than once
static_assert(LAUNCHES(matmul(matmul(x, y), x)(range(0, 3), 1)) == 3);
static_assert(LAUNCHES(transpose(matmul(x, sum(z, axis=0)))) == 3);
