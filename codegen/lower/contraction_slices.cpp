// Staging of operands: global memory to registers, to shared memory, to the registers of the threads that use them.
#include <codegen/lower/contraction_slices.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

operand_slices::operand_slices(lowering& shared, result_tile& results)
    : c(shared), tile(results), depth(shared.s.product.depth) {
    int ordinal = 0;
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v) {
        const value& self = c.at(v);
        if (self.what != value_kind::load) continue;
        const bool wide = (c.s.product.wide_loads >> ordinal++ & 1) != 0;
        if (!is_element_load(c.k, v)) continue;
        staged_load l;
        l.value = v;
        if (tile.columns.varies(self)) l.side = &tile.columns;
        if (tile.rows.varies(self)) l.side = &tile.rows;
        l.along_steps = staged_along_steps(c.k, self, l.side != nullptr ? l.side->axes[0] : -1);
        l.width = wide ? c.s.vector_width : 1;
        loads.push_back(l);
    }
}

int operand_slices::accesses(const staged_load& l) const {
    return static_cast<int>(divide_up(l.size() * depth / l.width, c.s.block_threads));
}

void operand_slices::declare() {
    c.b.comment(
        fmt::format("Double buffering: two slices of {} steps, one in use while the next one is loaded.", depth));
    for (staged_load& l : loads) {
        array a{c.unique(c.name(l.value) + "_tile"), space::shared, c.at(l.value).type, {2, depth}};
        if (l.side != nullptr) {
            // one more, so that consecutive steps start in different banks
            a.extents.push_back(l.size() / c.s.vector_width + 1);
            a.packed = c.s.vector_width;
        }
        l.tile = c.b.declare(a);
    }
    for (staged_load& l : loads) {
        array a{c.unique(c.name(l.value) + "_next"), space::registers, c.at(l.value).type, {}};
        if (accesses(l) > 1) a.extents = {accesses(l)};
        a.packed = l.width;
        l.next = c.b.declare(a, true);
    }
}

/// Distributes a slice over the threads: neighbouring threads take neighbours along the tile's side or along the steps.
void operand_slices::each_access(const staged_load& l, const std::function<void(const access&)>& body) {
    const int all = l.size() * depth / l.width;
    access a;
    scalar q = c.b.thread();
    if (accesses(l) > 1) {
        const scalar u = c.b.open_unrolled("u", accesses(l));
        q = c.b.let_index("q", dtype::int32, q + u * c.s.block_threads);
        a.number = {u};
    } else {
        c.b.open_scope();
    }
    const bool partly = all % c.s.block_threads != 0;
    if (partly) c.b.open_branch(q < all);
    const int run = (l.along_steps ? depth : l.size()) / l.width;  // accesses per row of the slice
    const auto fast = [&] { return l.width > 1 ? q % run * l.width : q % run; };
    const auto slow = [&] { return q / run; };
    if (l.side != nullptr) a.along = c.b.let_index("i", dtype::int32, l.along_steps ? slow() : fast());
    a.step = c.b.let_index("s", dtype::int32, l.side == nullptr ? q : l.along_steps ? fast() : slow());
    body(a);
    if (partly) c.b.close();
    c.b.close();
}

void operand_slices::load(const scalar& first) {
    for (const staged_load& l : loads) each_access(l, [&](const access& a) { load_access(l, a, first); });
}

void operand_slices::load_columns() {
    for (const staged_load& l : loads)
        if (l.side == &tile.columns) each_access(l, [&](const access& a) { load_access(l, a, {}); });
}

/// Indices past an end are moved inside by the width of an access; the elements read there are not used.
void operand_slices::load_access(const staged_load& l, const access& a, const scalar& first) {
    if (l.side != nullptr) tile.set_clamped(*l.side, l.side->first + a.along, l.along_steps ? 1 : l.width);
    const std::vector<int>& loop_axes = c.k.loops[0].axes;
    scalar step = first ? first + a.step : a.step;
    if (c.s.product.whole) {
        step = c.b.let_index("step", c.index_type(), step);
    } else {
        step = c.b.index_variable("step", c.index_type(), step);
        c.b.open_branch(step >= c.trips(0));
        c.b.assign(step, c.trips(0) - (l.along_steps ? l.width : 1));
        c.b.close();
    }
    const value& self = c.at(l.value);
    c.decompose(loop_axes, step, {self.at});
    std::vector<int> axes = tile.axes;
    axes.insert(axes.end(), loop_axes.begin(), loop_axes.end());
    c.b.assign(c.b.element(l.next, a.number), c.b.memory(c.input(self.input), c.terms(self.at, axes), 0, l.width));
}

/// Splits an index into those of the packed vector and of the element in it.
std::vector<scalar> operand_slices::packed_index(const scalar& i) {
    if (c.s.vector_width == 1) return {i};
    return {i / c.s.vector_width, i % c.s.vector_width};
}

void operand_slices::write(const scalar& buffer) {
    for (const staged_load& l : loads) each_access(l, [&](const access& a) { write_access(l, a, buffer); });
}

void operand_slices::write_columns(const scalar& buffer) {
    for (const staged_load& l : loads)
        if (l.side == &tile.columns) each_access(l, [&](const access& a) { write_access(l, a, buffer); });
}

/// In shared memory the steps are the rows of a slice, whatever its layout in global memory.
void operand_slices::write_access(const staged_load& l, const access& a, const scalar& buffer) {
    if (l.side == nullptr) return c.b.assign(c.b.element(l.tile, {buffer, a.step}), c.b.element(l.next, a.number));
    if (l.width > 1 && !l.along_steps) {
        const scalar whole = c.b.element(l.tile, {buffer, a.step, a.along / l.width});
        return c.b.assign(whole, c.b.element(l.next, a.number));
    }
    std::vector<scalar> to{buffer, a.step}, from = a.number;
    for (const scalar& i : packed_index(a.along)) to.push_back(i);
    if (l.width == 1) return c.b.assign(c.b.element(l.tile, to), c.b.element(l.next, from));
    const scalar e = c.b.open_unrolled("e", l.width);
    to[1] = a.step + e;
    from.push_back(e);
    c.b.assign(c.b.element(l.tile, to), c.b.element(l.next, from));
    c.b.close();
}

void operand_slices::read(const scalar& buffer, const scalar& step) {
    for (staged_load& l : loads) {
        if (l.side == nullptr) continue;  // all results of a thread use the same element
        const int reads = l.side->results / c.s.vector_width;
        array a{c.unique(c.name(l.value) + "_at"), space::registers, c.at(l.value).type, {reads}};
        a.packed = c.s.vector_width;
        l.elements = c.b.declare(a);
        const scalar u = c.b.open_unrolled("u", reads);
        c.b.assign(c.b.element(l.elements, {u}),
                   c.b.element(l.tile, {buffer, step, l.side->thread + u * l.side->threads}));
        c.b.close();
    }
}

scalar operand_slices::element(int load, const scalar& buffer, const scalar& step, const scalar& a, const scalar& b) {
    const staged_load& l = *std::find_if(loads.begin(), loads.end(), [&](const auto& x) { return x.value == load; });
    if (l.side == nullptr) return c.b.element(l.tile, {buffer, step});
    return c.b.element(l.elements, packed_index(l.side == &tile.rows ? a : b));
}

}  // namespace sinter::codegen::lower
