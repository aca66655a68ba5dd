// The products of a slice, and the weights that are computed of them: each value where what it varies along is known,
// for the block, for each of a lane's rows, for each element of the nest axis, or for each of both.
#include <codegen/lower/nested_products.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void nested_lowering::sort_values() {
    for (const int v : element_values(c.k, of)) {
        const value_kind what = c.at(v).what;
        if (what == value_kind::reduce || what == value_kind::scalar || what == value_kind::constant) continue;
        const bool by_row = (c.at(v).varies >> t.row_axis & 1) != 0, by_step = c.at(v).loop != group_level;
        (by_row ? by_step ? of_elements : of_rows : by_step ? of_steps : common).push_back(v);
    }
    find_divisors();
    for (const int v : of_rows) {
        const bool is_taken = std::any_of(of_elements.begin(), of_elements.end(), [&](int user) {
            const auto& in = c.at(user).in;
            const bool divides = in[1] == v && in[0] != v && is_quotient(user);
            return !divides && std::find(in.begin(), in.end(), v) != in.end();
        });
        if (is_taken) kept.push_back(v);
    }
    find_inside();
}

/// Where every selection has what it keeps, conditions are not computed.
void nested_lowering::find_inside() {
    needed_inside.assign(c.k.values.size(), 0);
    for (const nested_products::result& r : of.results) needed_inside[static_cast<std::size_t>(r.weight)] = 1;
    for (auto v = static_cast<int>(c.k.values.size()); v-- > 0;) {
        if (needed_inside[static_cast<std::size_t>(v)] == 0 || c.at(v).what == value_kind::reduce) continue;
        if (const selection* s = selection_at(v)) {
            needed_inside[static_cast<std::size_t>(s->kept)] = 1;
            continue;
        }
        for (const int in : c.at(v).in)
            if (in >= 0) needed_inside[static_cast<std::size_t>(in)] = 1;
    }
}

/// Rows past the last one repeat it: a test would keep loads from being under way together.
void nested_lowering::set_row(const scalar& row) {
    c.set_index(t.row_axis,
                c.b.let_index("row_inside", c.index_type(), c.b.select(row < rows.extent, row, rows.extent - 1)));
}

void nested_lowering::set_element(const scalar& element) {
    c.set_index(c.k.nest_axis, element);
    c.set_index(c.k.loops.back().axes.back(), element);
}

/// What elements take of a row is computed once.
void nested_lowering::let_row_values() {
    for (const int v : kept)
        kept_rows.push_back(registers(c.name(v) + "_of_row", c.at(v).type, {row_fragments(), 2}, 1, false));
    let_divisors_of({});
    for (divisor& d : divisors) {
        if (std::find(of_rows.begin(), of_rows.end(), d.value) == of_rows.end()) continue;
        d.factor_of_rows = registers("factor_of_row", dtype::float32, {row_fragments(), 2}, 1, false);
        if (c.k.precision == arithmetic::exact)
            d.scale_of_rows = registers("scale_of_row", dtype::float32, {row_fragments(), 2}, 1, false);
    }
    if (of_rows.empty()) return;
    each_row([&](const scalar& i, const scalar& h) {
        set_row(row_of(i, h));
        let_group_values(c, of_rows, c.k.outer);
        keep_divisors_of_row(i, h);
        for (std::size_t p = 0; p < kept.size(); ++p) c.b.assign(c.b.element(kept_rows[p], {i, h}), c.operand(kept[p]));
    });
}

void nested_lowering::multiply_scores(const scalar& buffer) {
    scores.clear();
    for (int l = 0; l < of.last(); ++l) {
        tensor_factor &a = left[static_cast<std::size_t>(l)], &b = right[static_cast<std::size_t>(l)];
        const id sums = registers(c.name(of.factors[static_cast<std::size_t>(l)].sum) + "_fragment", dtype::float32,
                                  {row_fragments(), slice_fragments()}, fragment_elements, true);
        scores.push_back(sums);
        const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
        if (!t.rows_in_registers)
            unrolled("i", row_fragments(),
                     [&](const scalar& i) { a.read_fragment(c.b.integer(0), warp_row + i * fragment_rows, step, i); });
        unrolled("j", slice_fragments(), [&](const scalar& j) {
            b.read_fragment(buffer, j * fragment_rows, step, j);
            unrolled("i", row_fragments(), [&](const scalar& i) {
                c.b.multiply_accumulate(c.b.element(sums, {i, j}), a.fragment(i, step), b.fragment(j));
            });
        });
        c.b.close();
    }
}

const selection* nested_lowering::selection_at(int v) const {
    for (const support& mask : masks)
        for (const selection& s : mask.selections)
            if (s.value == v) return &s;
    return nullptr;
}

/// Whether no mask excludes a weight of a slice, and no end.
scalar nested_lowering::is_unmasked(const scalar& first) {
    const scalar then = first + nested_slice(c.s);
    const scalar inside = all.first <= first && then <= all.end;
    return t.skips ? inside && then <= nest.extent : inside;
}

/// Slices that no mask and no end touches, nearly all, have code of their own, which tests nothing per element.
void nested_lowering::compute_weights(const scalar& first) {
    weights.clear();
    for (const nested_products::result& r : of.results)
        weights.push_back(
            registers("weights", c.at(r.weight).type, {row_fragments(), slice_fragments()}, fragment_elements, false));
    c.b.open_branch(is_unmasked(first));
    compute_slice(first, true);
    c.b.otherwise();
    compute_slice(first, false);
    c.b.close();
}

void nested_lowering::compute_slice(const scalar& first, bool is_inside) {
    unrolled("j", slice_fragments(), [&](const scalar& j) {
        unrolled("e", 4, [&](const scalar& e) {
            const scalar beside = j * fragment_rows + lane % 4 * 2 + e / 2 * 8 + e % 2;
            const scalar element = c.b.let_index("element", c.index_type(), first + beside);
            scalar inside = element, exists;
            if (!is_inside) {
                exists = c.b.let_index("exists", dtype::bool_, element < nest.extent);
                inside = c.b.let_index("element_inside", c.index_type(), c.b.select(exists, element, nest.extent - 1));
            }
            set_element(inside);
            let_values(of_steps, is_inside);
            let_divisors_of(of_steps);
            each_row([&](const scalar& i, const scalar& h) {
                let_element(i, h, j, h * 2 + e % 2 + e / 2 * 4, is_inside, exists);
            });
        });
    });
}

void nested_lowering::let_values(const std::vector<int>& values, bool is_inside) {
    std::vector<int> axes = c.k.outer;
    axes.push_back(c.k.nest_axis);
    for (const int axis : c.k.loops.back().axes) axes.push_back(axis);
    for (const int v : values) {
        if (is_inside && needed_inside[static_cast<std::size_t>(v)] == 0) continue;
        const selection* s = is_inside ? selection_at(v) : nullptr;
        if (s != nullptr)
            c.define(v, c.definition_of(s->kept));
        else if (const scalar x = quotient(v))
            c.let_value(v, x);
        else if (const scalar e = exponential(v))
            c.let_value(v, e);
        else
            let_group_values(c, {v}, axes);
    }
}

void nested_lowering::let_element(const scalar& i, const scalar& h, const scalar& j, const scalar& at, bool is_inside,
                                  const scalar& exists) {
    const bool by_row = std::any_of(of_elements.begin(), of_elements.end(), [&](int v) {
        return (c.at(v).what == value_kind::load || c.at(v).what == value_kind::index) &&
               (c.at(v).varies >> t.row_axis & 1) != 0;
    });
    if (by_row) set_row(row_of(i, h));
    for (std::size_t p = 0; p < kept.size(); ++p) c.define(kept[p], c.b.element(kept_rows[p], {i, h}));
    take_divisors_of_row(i, h);
    for (std::size_t l = 0; l < scores.size(); ++l) c.define(of.factors[l].sum, c.b.element(scores[l], {i, j, at}));
    let_values(of_elements, is_inside);
    for (std::size_t p = 0; p < of.results.size(); ++p) {
        const scalar x = c.operand(of.results[p].weight);
        const scalar zero = c.b.cast(c.at(of.results[p].weight).type, c.b.literal(dtype::float32, 0));
        c.b.assign(c.b.element(weights[p], {i, j, at}), is_inside ? x : c.b.select(exists, x, zero));
    }
}

}  // namespace sinter::codegen::lower
