// The slices of warpgroups: see online.hpp.
#include <codegen/ir/is_op.hpp>
#include <codegen/lower/online.hpp>

#include <sinter/op/functions.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// How far a maximum may be above what exponentials are relative to: terms stay below exp(5), which halves hold, and
/// sums of them far below what float32 holds.
constexpr float largest_lag = 5;

}  // namespace

id online_lowering::multiply_scores_of_group(const scalar& buffer) {
    const id scores = registers(c.name(of.scores.sum) + "_fragment", dtype::float32,
                                {row_fragments(), score_fragments()}, fragment_elements, false);
    const scalar nought = c.b.integer(0);
    c.b.begin_products({}, {});
    const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
    unrolled("i", row_fragments(), [&](const scalar& i) {
        c.b.multiply_warpgroup(c.b.element(scores, {i, nought}), score_fragments(),
                               left.operand(nought, group_row + i * warpgroup_rows, step),
                               right.operand(buffer, nought, step), 0 < step);
    });
    c.b.close();
    c.b.commit_products();
    c.b.wait_products(c.b.element(scores, {nought, nought}));
    return scores;
}

/// What each sum of products is multiplied by, where no mask excludes the score and nothing else is computed of it: a
/// value common to the block, or -1.
int online_lowering::common_scale() const {
    int v = of.x;
    while (const selection* s = selection_at(v)) v = s->kept;
    const value& self = c.at(v);
    if (!is_op(self, builtin_op::multiply)) return -1;
    for (const std::size_t side : {0u, 1u}) {
        const int scale = self.in[1 - side];
        if (self.in[side] != of.scores.sum || scale < 0 || c.at(scale).type != dtype::float32) continue;
        const value_kind what = c.at(scale).what;
        if (what == value_kind::scalar || what == value_kind::constant ||
            std::find(common.begin(), common.end(), scale) != common.end())
            return scale;
    }
    return -1;
}

/// Scores in units of `unit`: where only a positive scale is to be computed, it is that.
void online_lowering::compute_unscaled(id scores, const scalar& first) {
    unit = c.b.variable_of("unit", dtype::float32, number(1));
    const int scale = common_scale();
    if (scale < 0) return compute_scores(scores, first);
    const scalar positive =
        c.b.operation(op::greater::row, dtype::bool_, dtype::float32, {c.operand(scale), number(0), {}});
    c.b.open_branch(is_unmasked(first) && positive);
    c.b.assign(unit, c.operand(scale));
    c.b.otherwise();
    compute_masked(scores, first);
    c.b.close();
}

/// Whether what is stored depends on the maximum, or on numbers relative to it, other than by quotients of sums by
/// totals; and whether numbers of float16 might not hold weights that are larger than an exponential below 1.
bool online_lowering::needs_maximum() const {
    std::vector<int> wanted;
    for (const kernel_store& one : c.k.stores) wanted.push_back(one.value);
    bool divides = false;
    for (const linear_value& l : of.of_sums) {
        const bool by_total = is_op(c.at(l.value), builtin_op::divide) && c.at(l.value).in[1] == of.total;
        if (by_total && !divides) {
            divides = true;
            continue;
        }
        const std::vector<int> beside = operands_beside(c.k, {l});
        wanted.insert(wanted.end(), beside.begin(), beside.end());
    }
    const bool multiplies = std::any_of(of.of_weights.begin(), of.of_weights.end(), [&](const linear_value& l) {
        return !is_op(c.at(l.value), builtin_op::where) && !is_op(c.at(l.value), builtin_op::negative);
    });
    if (!divides || (multiplies && c.at(of.weight).type == dtype::float16)) return true;
    for (std::size_t next = 0; next < wanted.size(); ++next) {
        const int v = wanted[next];
        if (v == of.maximum || v == of.total) return true;
        if (v < 0 || c.at(v).what == value_kind::reduce) continue;
        wanted.insert(wanted.end(), c.at(v).in.begin(), c.at(v).in.end());
    }
    return false;
}

online_lowering::exponents online_lowering::raise_maxima_seldom(id scores) {
    const id shift = registers("shift", dtype::float32, {row_fragments(), 2}, 1, false);
    const id bounded = registers("bounded", dtype::float32, {row_fragments(), 2}, 1, false);
    const id factors = registers("factor", dtype::float32, {row_fragments(), 2}, 1, false);
    const scalar magnitude = c.b.variable_of("largest_square", dtype::float32, number(0));
    each_row([&](const scalar& i, const scalar& h) {
        const scalar maximum = c.b.element(maxima, {i, h}), total = c.b.element(totals, {i, h});
        const scalar largest = c.b.variable_of("largest", dtype::float32, minus_infinity);
        unrolled("j", score_fragments(), [&](const scalar& j) {
            unrolled("e", fragment_elements / 2, [&](const scalar& one) {
                const scalar score = c.b.element(scores, {i, j, h * 2 + one % 2 + one / 2 * 4});
                c.b.assign(largest, c.combine(of.maximum, largest, score));
            });
        });
        fold_lanes(of.maximum, largest);
        c.b.assign(largest, c.combine(of.maximum, maximum, times(largest, unit)));
        if (!needs_maximum()) {
            const scalar lag = op(of.difference, largest, maximum);
            const scalar rises =
                c.b.operation(op::greater::row, dtype::bool_, dtype::float32, {lag, number(largest_lag), {}});
            c.b.assign(largest, c.b.select(rises, largest, maximum));
        }
        const scalar from = c.b.element(bounded, {i, h}), factor = c.b.element(factors, {i, h});
        c.b.assign(from, c.combine(of.maximum, largest, least));
        c.b.assign(c.b.element(shift, {i, h}), times(from, number(-log2_of_e)));
        c.b.assign(magnitude, c.combine(of.maximum, magnitude, times(from, from)));
        const scalar log2_of_factor = times(op(of.difference, maximum, from), number(log2_of_e));
        c.b.assign(factor, power(c.b.let("log2_of_factor", dtype::float32, log2_of_factor)));
        c.b.assign(maximum, largest);
        c.b.assign(total, times(total, factor));
    });
    const scalar scale = c.b.variable_of("scale", dtype::float32, times(unit, number(log2_of_e)));
    const exponents e{scores, shift, totals, scale};
    keep_precise(e, magnitude, bounded);
    rescale_seldom(factors);
    return e;
}

void online_lowering::rescale_seldom(id factors) {
    const auto is_one = [&](const scalar& factor) {
        return c.b.operation(op::equal::row, dtype::bool_, dtype::float32, {factor, number(1), {}});
    };
    unrolled("i", row_fragments(), [&](const scalar& i) {
        const auto factor = [&](const scalar& h) { return c.b.element(factors, {i, h}); };
        c.b.open_branch(c.b.negation(is_one(factor(c.b.integer(0))) && is_one(factor(c.b.integer(1)))));
        unrolled("h", 2, [&](const scalar& h) { rescale_results(i, h, factor(h)); });
        c.b.close();
    });
}

void online_lowering::multiply_results_of_group(const exponents& e, const scalar& buffer, const scalar& first) {
    const id weights =
        registers("weights", c.at(of.weight).type, {row_fragments(), score_fragments()}, fragment_elements, false);
    unrolled("i", row_fragments(), [&](const scalar& i) {
        unrolled("k", score_fragments(), [&](const scalar& k) {
            let_weights(e, i, k, first, rounded_to(weights, {i, k}));
        });
    });
    const scalar nought = c.b.integer(0);
    const scalar sums = c.b.element(results, {nought, nought});
    c.b.begin_products(sums, c.b.element(weights, {nought, nought}));
    unrolled("k", score_fragments(), [&](const scalar& k) {
        unrolled("i", row_fragments(), [&](const scalar& i) {
            c.b.multiply_warpgroup(c.b.element(results, {i, nought}), result_fragments(),
                                   {c.b.element(weights, {i, k}), false},
                                   ys.operand(buffer, nought, k * fragment_rows));
        });
    });
    c.b.commit_products();
    c.b.wait_products(sums);
}

}  // namespace sinter::codegen::lower
