// Solutions of the exercises of chapter 10.
#include <docs/course/exercises/10.hpp>

#include <algorithm>
#include <cmath>

using namespace sinter;

// 1. Rescales both to the greater maximum, then adds. One that has seen no keys contributes nothing; for two of them
// the factor would be NaN.
seen merged(seen a, seen b) {
    const float maximum = std::max(a.maximum, b.maximum);
    const auto factor = [&](const seen& s) { return s.total == 0 ? 0 : std::exp(s.maximum - maximum); };
    const float of_a = factor(a), of_b = factor(b);
    for (std::size_t c = 0; c < a.sums.size(); ++c) a.sums[c] = a.sums[c] * of_a + b.sums[c] * of_b;
    return {maximum, a.total * of_a + b.total * of_b, a.sums};
}

// 2. The n x n scores are written and read, and so are the n x n weights; q, k, v and the result are n x d. Both
// products are 4 n n d flop: n / 2 per byte in one kernel, whatever d is.
double bytes_of_three_kernels(double n, double d) { return 8 * n * n + 8 * n * d; }
double bytes_of_one_kernel(double n, double d) { return 8 * n * d; }
double shortest(double ridge) { return 2 * ridge; }

// 3. a: a new maximum is a factor of the sum. b: tanh has no such factor. c: the division comes after both sums. d: the
// mean changes the sign within each absolute value.
choices in_one_pass() { return {.a = true, .b = false, .c = true, .d = false}; }

// 4. The mask is part of the scores' expression, which is computed in registers.
auto causal(const array<float16, 2>& q, const array<float16, 2>& k, const array<float16, 2>& v) {
    const auto query = arange<int>(q.shape()[0])(all, newaxis);
    const auto key = arange<int>(k.shape()[0]);
    const auto scores = where(key <= query, matmul(q, transpose(k)), -std::numeric_limits<float>::infinity());
    return matmul(softmax(scores, axis=1), v);
}

// 5. All slices that begin after the block's last query, and no others. The compiler has to know that the mask
// compares the index of a key with that of a query, so that it is false from some key on; and that a masked score is
// -infinity, so that its weight is exactly 0 whatever the other scores are: a finite number might be the greatest of
// them. The blocks with most slices should start first: if a long one starts last, the GPU waits for it alone.

#include <docs/course/checks/10.hpp>

int main() { return check_answers(); }
