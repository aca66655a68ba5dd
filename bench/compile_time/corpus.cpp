// Compile time of a user's file of moderate size: twenty expressions of different types. measure.py times it, count.py
// counts its template instantiations; a change to this file invalidates both records.
#include <sinter.hpp>

using namespace sinter;

SINTER_UNARY(softsign, floating, x / (T(1) + abs(x)))

namespace corpus {

using matrix = array<float, 2>;
using vector = array<float, 1>;

array<double, 2> norm_of_rows(const array<double, 3>& x) { return sqrt(sum(x * x, axis=2)); }
vector axpy(float a, const vector& x, const vector& y) { return a * x + y; }
float dot(const vector& x, const vector& y) { return item(sum(x * y)); }
matrix softmax_of_rows(const matrix& x) {
    const auto e = exp(x - max(x, axis=1, keepdims));
    return e / sum(e, axis=1, keepdims);
}
matrix standardised(const matrix& x) {
    return (x - mean(x, axis=0, keepdims)) / sqrt(var(x, axis=0, keepdims) + 1e-5f);
}
matrix layer_norm(const matrix& x, const vector& gain, const vector& bias) {
    const auto centred = x - mean(x, axis=1_c, keepdims);
    return centred / sqrt(mean(square(centred), axis=1_c, keepdims) + 1e-5f) * gain + bias;
}
matrix gelu(const matrix& x) { return 0.5f * x * (1 + erf(x * 0.70710678f)); }
array<bool, 1> within(const vector& x, float low, float high) { return x > low && x < high; }
vector clipped(const vector& x) { return where(isnan(x), 0, clip(x, -1, 1)); }
matrix outer(const vector& x, const vector& y) { return x(all, newaxis) * y(newaxis, all); }
matrix symmetric(const matrix& x) { return (x + transpose(x)) / 2; }
vector differences(const vector& x) { return x(range(1, end)) - x(range(0, -1)); }
matrix laplacian(const matrix& u) {
    const auto inner = range(1, -1);
    return u(range(0, -2), inner) + u(range(2, end), inner) + u(inner, range(0, -2)) + u(inner, range(2, end)) -
           4 * u(inner, inner);
}
vector distances(const matrix& points, const vector& from) { return norm(points - from, axis=1); }
array<std::int64_t, 1> positives(const matrix& x) { return count_nonzero(x > 0, axis=0); }
matrix reversed(const matrix& x) { return flip(softsign(x), axis=1) + broadcast_to(1.5f, x.shape()); }
array<int, 1> truncated(const vector& x) { return astype<int>(trunc(x * 255)); }
vector mixed(const array<int, 1>& i, const vector& x) { return astype<float>(i) * x - x / 3; }
void update(matrix& x, const matrix& gradient, float rate) { x -= rate * gradient; }
void fill_column(matrix& x, const vector& y) { x(all, 0) = 2 * y + 1; }

}  // namespace corpus
