// The scores of a slice: products of fragments, then the expression of each in registers.
#include <codegen/lower/number_parts.hpp>
#include <codegen/lower/online.hpp>

#include <algorithm>
#include <iterator>

namespace sinter::codegen::lower {

using namespace device_ir;

id online_lowering::multiply_scores(const scalar& buffer) {
    const id scores = registers(c.name(of.scores.sum) + "_fragment", dtype::float32,
                                {row_fragments(), score_fragments()}, fragment_elements, true);
    const bool is_split = has_split_scores(c.k, of);
    const id lesser = !is_split ? none
                                : registers(c.name(of.scores.sum) + "_of_lesser_parts", dtype::float32,
                                            {row_fragments(), score_fragments()}, fragment_elements, true);
    const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
    if (!t.rows_in_registers) read_rows(step);
    unrolled("j", score_fragments(), [&](const scalar& j) {
        right.read_fragment(buffer, j * fragment_rows, step, j);
        unrolled("i", row_fragments(), [&](const scalar& i) {
            each_product_of_parts(left.parts(), right.parts(), [&](int a, int b) {
                c.b.multiply_accumulate(c.b.element(a + b == 0 ? scores : lesser, {i, j}), left.fragment(i, step, a),
                                        right.fragment(j, step, b));
            });
        });
    });
    c.b.close();
    if (is_split) add_lesser_parts(scores, lesser);
    return scores;
}

/// The fragments of a warp's rows.
void online_lowering::read_rows(const scalar& step) {
    unrolled("i", row_fragments(),
             [&](const scalar& i) { left.read_fragment(c.b.integer(0), warp_row + i * fragment_rows, step, i); });
}

void online_lowering::add_lesser_parts(id scores, id lesser) {
    unrolled("i", row_fragments(), [&](const scalar& i) {
        unrolled("j", score_fragments(), [&](const scalar& j) {
            unrolled("e", fragment_elements, [&](const scalar& e) {
                const scalar score = c.b.element(scores, {i, j, e});
                c.b.assign(score, with_lesser_parts(c, score, c.b.element(lesser, {i, j, e})));
            });
        });
    });
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

void online_lowering::let_indices(const scalar& row, const scalar& key) {
    c.set_index(t.row_axis, row);
    c.set_index(c.k.nest_axis, key);
    for (std::size_t l = 1; l < c.k.loops.size(); ++l) c.set_index(c.k.loops[l].axes[0], key);
}

/// The values that each score computes for itself.
std::vector<int> online_lowering::own_values(std::vector<int> values) const {
    std::erase_if(values, [&](int v) { return std::find(common.begin(), common.end(), v) != common.end(); });
    return values;
}

/// Whether an element is loaded with its neighbour, the next one along the nest axis.
bool online_lowering::is_pair(int v) const {
    const bool of_element = c.at(v).loop == 1 || (c.at(v).loop == 3 && (c.at(v).varies >> t.column_axis & 1) == 0);
    if (c.at(v).what != value_kind::load || !of_element) return false;
    const auto before = std::count_if(c.k.values.begin(), c.k.values.begin() + v,
                                      [](const value& one) { return one.what == value_kind::load; });
    return before < 64 && (t.wide_loads >> before & 1) != 0;
}

std::vector<id> online_lowering::load_pairs(const std::vector<int>& computed) {
    std::vector<id> pairs;
    for (int v : computed) {
        if (!is_pair(v)) continue;
        pairs.push_back(registers(c.name(v) + "_at", c.at(v).type, {}, 2, false));
        c.b.assign(c.b.element(pairs.back(), {}),
                   c.b.memory(c.input(c.at(v).input), c.terms(c.at(v).at, element_axes()), 0, 2));
    }
    return pairs;
}

/// Computes the values of one of two neighbours, whose pairs are loaded.
void online_lowering::let_neighbour(const std::vector<int>& computed, const std::vector<id>& pairs, const scalar& e,
                                    bool is_inside) {
    auto pair = pairs.begin();
    for (int v : computed) {
        if (is_pair(v))
            c.define(v, c.b.element(*pair++, {e}));
        else
            let_score({v}, is_inside);
    }
}

/// Whether no mask excludes a score of a slice, and no end.
scalar online_lowering::is_unmasked(const scalar& first) {
    const scalar then = first + nest_elements(c.s);
    const scalar inside = all.first <= first && then <= all.end;
    return t.skips ? inside && then <= nest.extent : inside;
}

/// The operand of the maximum; minus infinity past the last element. Slices that no mask and no end touches, nearly
/// all, have code of their own, which tests nothing per element.
void online_lowering::compute_scores(id scores, const scalar& first) {
    c.b.open_branch(is_unmasked(first));
    compute_inside(scores, first);
    c.b.otherwise();
    compute_masked(scores, first);
    c.b.close();
}

void online_lowering::compute_inside(id scores, const scalar& first) {
    const std::vector<int> computed = own_values(values_inside());
    const bool loads =
        std::any_of(computed.begin(), computed.end(), [&](int v) { return c.at(v).what == value_kind::load; });
    const auto is_indexed_by = [&](int axis) {
        return std::any_of(computed.begin(), computed.end(), [&](int v) { return (c.at(v).varies >> axis & 1) != 0; });
    };
    const bool by_row = is_indexed_by(t.row_axis);
    each_row([&](const scalar& i, const scalar& h) {
        scalar row = row_of(i, h);
        // rows past the last one repeat it: a test would keep loads from being under way together
        if (loads && by_row)
            row = c.b.let_index("row_inside", c.index_type(), c.b.select(row < rows.extent, row, rows.extent - 1));
        unrolled("j", 2 * score_fragments(), [&](const scalar& j) {
            const scalar key = first + (j * 8 + lane % 4 * 2);
            let_indices(row, key);
            const std::vector<id> pairs = load_pairs(computed);
            unrolled("e", 2, [&](const scalar& e) {
                const scalar score = c.b.element(scores, {i, j / 2, h * 2 + j % 2 * 4 + e});
                let_indices(row, key + e);
                c.let_value(of.scores.sum, score);
                let_neighbour(computed, pairs, e, true);
                c.b.assign(score, c.operand(of.x));
            });
        });
    });
}

void online_lowering::compute_masked(id scores, const scalar& first) {
    const std::vector<int> computed = own_values(group_values_needed(c, {of.x}));
    // an expression without loads may be computed past the last row and element, too
    const bool loads =
        std::any_of(computed.begin(), computed.end(), [&](int v) { return c.at(v).what == value_kind::load; });
    unrolled("i", row_fragments(), [&](const scalar& i) {
        each_score([&](const scalar& j, const scalar& h, const scalar& at, const scalar& beside) {
            const scalar row = row_of(i, h);
            const scalar key =
                c.b.let_index("key", c.index_type(), first + (j * fragment_rows + lane % 4 * 2 + beside));
            const scalar score = c.b.element(scores, {i, j, at});
            if (loads) c.b.open_branch(row < rows.extent && key < nest.extent);
            let_indices(row, key);
            c.let_value(of.scores.sum, score);
            let_score(computed, false);
            const scalar x = c.operand(of.x);
            if (!loads) return c.b.assign(score, c.b.select(key < nest.extent, x, minus_infinity));
            c.b.assign(score, x);
            c.b.otherwise();
            c.b.assign(score, minus_infinity);
            c.b.close();
        });
    });
}

}  // namespace sinter::codegen::lower
