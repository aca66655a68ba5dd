// The running sums. An exponential is 2 to the power of x * log2(e) - maximum * log2(e): one multiply-add and one
// instruction of the special function unit. The second product is rounded, equally for all exponentials of a row, so
// that its error divides out.
#include <codegen/lower/exponential.hpp>
#include <codegen/lower/online.hpp>

#include <sinter/op/functions.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// Squared: larger maxima are subtracted from the scores, since the rounded product could differ from that of the
/// largest score by more than an exponent holds.
constexpr float largest_magnitude = 0x1p40f;

}  // namespace

scalar online_lowering::plus(const scalar& a, const scalar& b) {
    return c.b.operation(op::add::row, dtype::float32, dtype::float32, {a, b, {}});
}

scalar online_lowering::power(const scalar& exponent) {
    return c.b.operation(power_of_two, dtype::float32, dtype::float32, {exponent, {}, {}});
}

/// Raises the maxima, and rescales totals and results.
online_lowering::exponents online_lowering::raise_maxima(id scores) {
    const exponents e{scores, registers("shift", dtype::float32, {row_fragments(), 2}, 1, false), totals};
    const id bounded = registers("bounded", dtype::float32, {row_fragments(), 2}, 1, false);
    const scalar magnitude = c.b.variable_of("largest_square", dtype::float32, number(0));
    each_row([&](const scalar& i, const scalar& h) {
        const scalar largest = c.b.variable_of("largest", dtype::float32, c.b.element(maxima, {i, h}));
        unrolled("j", score_fragments(), [&](const scalar& j) {
            unrolled("e", fragment_elements / 2, [&](const scalar& one) {
                const scalar score = c.b.element(scores, {i, j, h * 2 + one % 2 + one / 2 * 4});
                c.b.assign(largest, c.combine(of.maximum, largest, score));
            });
        });
        fold_lanes(of.maximum, largest);
        const scalar from = c.b.element(bounded, {i, h}), shift = c.b.element(e.shift, {i, h});
        c.b.assign(from, c.combine(of.maximum, largest, least));
        c.b.assign(shift, times(from, number(-log2_of_e)));
        c.b.assign(magnitude, c.combine(of.maximum, magnitude, times(from, from)));
        rescale(i, h, largest, from);
    });
    keep_precise(e, magnitude, bounded);
    return e;
}

void online_lowering::rescale(const scalar& i, const scalar& h, const scalar& largest, const scalar& bounded) {
    const scalar maximum = c.b.element(maxima, {i, h}), total = c.b.element(totals, {i, h});
    const scalar difference = op(of.difference, maximum, bounded);
    const scalar log2_of_factor = c.b.let("log2_of_factor", dtype::float32, times(difference, number(log2_of_e)));
    const scalar factor = c.b.let("factor", dtype::float32, power(log2_of_factor));
    c.b.assign(maximum, largest);
    c.b.assign(total, times(total, factor));
    rescale_results(i, h, factor);
}

void online_lowering::rescale_results(const scalar& i, const scalar& h, const scalar& factor) {
    unrolled("j", result_fragments(), [&](const scalar& j) {
        unrolled("e", fragment_elements / 2, [&](const scalar& e) {
            const scalar sum = c.b.element(results, {i, j, h * 2 + e % 2 + e / 2 * 4});
            c.b.assign(sum, times(sum, factor));
        });
    });
}

/// Of float32 weights, maxima of any size are subtracted from the scores.
void online_lowering::keep_precise(const exponents& e, const scalar& magnitude, id bounded) {
    const bool is_seldom = !has_split_weights(c.k, of);
    if (is_seldom)
        c.b.open_branch(
            c.b.operation(op::greater::row, dtype::bool_, dtype::float32, {magnitude, number(largest_magnitude), {}}));
    unrolled("i", row_fragments(), [&](const scalar& i) {
        each_score([&](const scalar& j, const scalar& h, const scalar& at, const scalar&) {
            const scalar score = c.b.element(e.scores, {i, j, at});
            const scalar x = unit ? times(score, unit) : score;
            c.b.assign(score, op(of.difference, x, c.b.element(bounded, {i, h})));
        });
        unrolled("h", 2, [&](const scalar& h) { c.b.assign(c.b.element(e.shift, {i, h}), number(0)); });
    });
    if (e.scale) c.b.assign(e.scale, number(log2_of_e));
    if (is_seldom) c.b.close();
}

/// Rounds the exponentials of 16 elements to a factor at a time, and multiplies it by their part of y.
void online_lowering::multiply_results(const exponents& e, const scalar& buffer, const scalar& first) {
    unrolled("k", score_fragments(), [&](const scalar& k) {
        const id weights = registers("weights", c.at(of.weight).type, {row_fragments()}, fragment_elements, false);
        unrolled("i", row_fragments(), [&](const scalar& i) { let_weights(e, i, k, first, rounded_to(weights, {i})); });
        unrolled("j", result_fragments(), [&](const scalar& j) {
            ys.read_fragment(buffer, j * fragment_rows, k * fragment_rows, j);
            unrolled("i", row_fragments(), [&](const scalar& i) {
                c.b.multiply_accumulate(c.b.element(results, {i, j}), c.b.element(weights, {i}), ys.fragment(j));
            });
        });
    });
}

}  // namespace sinter::codegen::lower
