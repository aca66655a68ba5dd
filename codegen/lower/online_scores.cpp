// The scores of a slice: products of fragments, then the expression of each in registers.
#include <codegen/lower/online.hpp>

#include <algorithm>
#include <iterator>

namespace sinter::codegen::lower {

using namespace device_ir;

id online_lowering::multiply_scores(const scalar& buffer) {
    const id scores = registers(c.name(of.scores.sum) + "_fragment", dtype::float32,
                                {row_fragments(), score_fragments()}, fragment_elements, true);
    const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
    if (!t.rows_in_registers)
        unrolled("i", row_fragments(),
                 [&](const scalar& i) { left.read_fragment(c.b.integer(0), warp_row + i * fragment_rows, step, i); });
    unrolled("j", score_fragments(), [&](const scalar& j) {
        right.read_fragment(buffer, j * fragment_rows, step, j);
        unrolled("i", row_fragments(), [&](const scalar& i) {
            c.b.multiply_accumulate(c.b.element(scores, {i, j}), left.fragment(i, step), right.fragment(j));
        });
    });
    c.b.close();
    return scores;
}

/// The axes along which a score may vary.
std::vector<int> online_lowering::element_axes() const {
    std::vector<int> axes = c.k.outer;
    axes.push_back(c.k.nest_axis);
    for (std::size_t l = 1; l < c.k.loops.size(); ++l) axes.push_back(c.k.loops[l].axes[0]);
    return axes;
}

const selection* online_lowering::selection_at(int v) const {
    const auto s = std::find_if(mask.selections.begin(), mask.selections.end(),
                                [&](const selection& one) { return one.value == v; });
    return s != mask.selections.end() ? &*s : nullptr;
}

/// What a score takes where every selection has what it keeps: not the conditions.
std::vector<int> online_lowering::values_inside() const {
    std::vector<int> wanted{of.x}, found;
    std::vector<bool> seen(c.k.values.size(), false);
    while (!wanted.empty()) {
        const int v = wanted.back();
        wanted.pop_back();
        const value& self = c.at(v);
        if (seen[static_cast<std::size_t>(v)] || self.loop == 0 || self.over == 0) continue;
        seen[static_cast<std::size_t>(v)] = true;
        if (const selection* s = selection_at(v))
            wanted.push_back(s->kept);
        else
            std::copy_if(self.in.begin(), self.in.end(), std::back_inserter(wanted), [](int in) { return in >= 0; });
        if (self.what != value_kind::reduce && self.what != value_kind::scalar && self.what != value_kind::constant)
            found.push_back(v);
    }
    std::sort(found.begin(), found.end());
    return found;
}

void online_lowering::let_score(const std::vector<int>& values, bool is_inside) {
    const std::vector<int> axes = element_axes();
    for (int v : values) {
        const selection* s = is_inside ? selection_at(v) : nullptr;
        if (s != nullptr)
            c.define(v, c.definition_of(s->kept));
        else
            let_group_values(c, {v}, axes);
    }
}

/// The operand of the maximum; minus infinity past the last element. Slices that no mask and no end touches, nearly
/// all, have code of their own, which tests nothing per element.
void online_lowering::compute_scores(id scores, const scalar& first) {
    c.b.open_branch(all.first <= first && first + nest_elements(c.s) <= all.end);
    compute_each(scores, first, true);
    c.b.otherwise();
    compute_each(scores, first, false);
    c.b.close();
}

void online_lowering::compute_each(id scores, const scalar& first, bool is_inside) {
    std::vector<int> computed = is_inside ? values_inside() : group_values_needed(c, {of.x});
    std::erase_if(computed, [&](int v) { return std::find(common.begin(), common.end(), v) != common.end(); });
    const auto takes = [&](value_kind what, int axis) {
        return std::any_of(computed.begin(), computed.end(), [&](int v) {
            return c.at(v).what == what && (axis < 0 || (c.at(v).varies >> axis & 1) != 0);
        });
    };
    // an expression without loads may be computed past the last row and element, too
    const bool loads = takes(value_kind::load, -1);
    const bool takes_rows = loads || takes(value_kind::index, t.row_axis);
    unrolled("i", row_fragments(), [&](const scalar& i) {
        each_score([&](const scalar& j, const scalar& h, const scalar& at, const scalar& beside) {
            scalar row = row_of(i, h);
            if (takes_rows) row = c.b.let_index("row", c.index_type(), row);
            const scalar key =
                c.b.let_index("key", c.index_type(), first + (j * fragment_rows + lane % 4 * 2 + beside));
            const scalar score = c.b.element(scores, {i, j, at});
            if (loads) c.b.open_branch(row < rows.extent && key < nest.extent);
            c.set_index(t.row_axis, row);
            c.set_index(c.k.nest_axis, key);
            for (std::size_t l = 1; l < c.k.loops.size(); ++l) c.set_index(c.k.loops[l].axes[0], key);
            c.let_value(of.scores.sum, score);
            let_score(computed, is_inside);
            const scalar x = c.operand(of.x);
            if (!loads) return c.b.assign(score, is_inside ? x : c.b.select(key < nest.extent, x, minus_infinity));
            c.b.assign(score, x);
            c.b.otherwise();
            c.b.assign(score, minus_infinity);
            c.b.close();
        });
    });
}

}  // namespace sinter::codegen::lower
