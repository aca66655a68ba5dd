// Solutions of the exercises of chapter 5.
#include <docs/course/exercises/5.hpp>

#include <algorithm>

using namespace sinter;

// 1. Both means keep the rows, so each group of threads can compute what it needs.
auto normalised(const array<float, 2>& x) {
    const auto centred = x - mean(x, axis=1_c, keepdims);
    return centred / sqrt(mean(square(centred), axis=1_c, keepdims) + 1e-5f);
}

// 2. Rescales both sums to the greater maximum. An empty side needs no correction: exp(-inf - -inf) is NaN.
seen merged(seen a, seen b) {
    const float maximum = std::max(a.maximum, b.maximum);
    const auto corrected = [&](seen s) { return s.sum == 0 ? 0 : s.sum * std::exp(s.maximum - maximum); };
    return {maximum, corrected(a) + corrected(b)};
}

// 3. a: all four reductions keep axis 0. b: a sum that keeps no axis, in one kernel with a grid barrier. c: one sum
// keeps axis 0, the other no axis. d: the three means keep different axes: the last kernel computes one,
// earlier kernels the other two.
prediction launches_of() { return {.a = 1, .b = 1, .c = 2, .d = 3}; }

#include <docs/course/checks/5.hpp>

int main() { return check_answers(); }
