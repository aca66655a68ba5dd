// One entry per window of the schedule.
#include <codegen/lower/windows.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

std::vector<int> axes_around(const lowering& c, int loop) {
    std::vector<int> axes = c.k.outer;
    const std::vector<int>& inner = c.k.loops[static_cast<std::size_t>(loop)].axes;
    axes.insert(axes.end(), inner.begin(), inner.end());
    return axes;
}

scalar scaled(const scalar& x, int n) { return n == 1 ? x : x * n; }

register_windows::register_windows(lowering& shared) : c(shared) {
    for (const windowed_value& read : c.s.windows.reads) values_.push_back(read.value);
    for (const group_window& window : c.s.windows.windows) {
        entry one{&window};
        const value& self = c.at(window.value);
        if (self.what != value_kind::load || is_displaced(self))
            one.computes = make_value_function(c, window.value, self.loop, fmt::format("window_{}", all_.size()),
                                               "One element of a window.");
        all_.push_back(std::move(one));
    }
}

int register_windows::unit_axis(const entry& one) const {
    const auto loop = static_cast<std::size_t>(c.at(one.shape->value).loop);
    return one.shape->tap_step == 1 ? c.s.windows.along[loop] : c.s.windows.row_axis;
}

void register_windows::declare(bool moving_down) {
    for (entry& one : all_) {
        if (one.shape->moves_down != moving_down) continue;
        const int vector = one.shape->vector, accesses = (one.shape->elements + vector - 1) / vector;
        array held{
            c.unique(c.name(one.shape->value) + "_window"), space::registers, c.at(one.shape->value).type, {accesses}};
        held.packed = vector;
        one.held = c.b.declare(held);
    }
}

void register_windows::load(bool moving_down) {
    for (const entry& one : all_) {
        if (one.shape->moves_down != moving_down) continue;
        if (one.shape->staged)
            read_staged(one);
        else if (one.computes.function == none)
            load_elements(one);
        else
            compute_elements(one);
    }
}

void register_windows::load_elements(const entry& one) {
    const value& load = c.at(one.shape->value);
    const int unit = unit_axis(one), vector = one.shape->vector, elements = one.shape->elements;
    std::vector<int> axes;
    for (const int axis : axes_around(c, load.loop))
        if (axis != c.s.windows.along[static_cast<std::size_t>(load.loop)]) axes.push_back(axis);
    const scalar first = c.b.memory(c.input(load.input), c.terms(load.at, axes));
    const id from = c.b.view(c.unique(input_name(load.input) + "_from"), first);
    const auto at = [&](const scalar& element, int count) {
        const step along = step_of(c.k, load.at, unit);
        if (along == step::none) return c.b.memory(from, {});
        return c.b.memory(from, {{unit, element.at, along == step::unit ? none : c.stride(load.at, unit).at}}, 0,
                          count);
    };
    if (const int whole = elements / vector; whole > 0) {
        const scalar a = c.b.open_unrolled("a", whole);
        c.b.assign(c.b.element(one.held, {a}), at(scaled(a, vector), vector));
        c.b.close();
    }
    if (elements % vector == 0) return;
    const scalar a = c.b.open_unrolled("a", elements % vector);
    const int loaded = elements / vector;
    c.b.assign(c.b.element(one.held, {c.b.integer(loaded), a}), at(a + loaded * vector, 1));
    c.b.close();
}

void register_windows::compute_elements(const entry& one) {
    const value& self = c.at(one.shape->value);
    const int unit = unit_axis(one), along = c.s.windows.along[static_cast<std::size_t>(self.loop)];
    const scalar column = c.index(c.s.windows.row_axis);
    const scalar a = c.b.open_unrolled("a", one.shape->elements);
    c.set_index(along, unit == along ? a : c.b.integer(0));
    if (unit != along) c.set_index(unit, column + a);
    assign_computed(one, c.b.element(one.held, {a}));
    c.b.close();
    c.set_index(c.s.windows.row_axis, column);
}

/// Loads or computes the window's element at the current indices.
void register_windows::assign_computed(const entry& one, const scalar& target) {
    const value& self = c.at(one.shape->value);
    const std::vector<int> axes = axes_around(c, self.loop);
    if (one.computes.function == none)
        return c.b.assign(target, c.b.memory(c.input(self.input), c.terms(self.at, axes)));
    const auto element = [&](int v) { return c.b.memory(c.input(c.at(v).input), c.terms(c.at(v).at, axes)); };
    const auto place = [&](int v) { return is_displaced(c.at(v)) ? element(v) : c.sum_of(c.terms(c.at(v).at, axes)); };
    std::vector<scalar> arguments;
    for (const int v : one.computes.loads) arguments.push_back(element(v));
    for (const int v : one.computes.places) arguments.push_back(place(v));
    for (const int v : one.computes.outside) arguments.push_back(c.operand(v));
    c.b.assign(target, c.b.call(one.computes.function, arguments));
}

bool register_windows::slides(int v) const {
    for (const windowed_value& read : c.s.windows.reads) {
        const group_window& shape = c.s.windows.windows[static_cast<std::size_t>(read.window)];
        if (read.value == v) return shape.group_step == 1 && shape.tap_step == 1;
    }
    return false;
}

scalar register_windows::element(int v, const scalar& column, const scalar& tap) {
    if (const auto filter = filters_.find(v); filter != filters_.end()) {
        if (c.s.windows.down < 0) return c.b.element(filter->second, {tap});
        return c.b.element(filter->second, {c.index(c.s.windows.down), tap});
    }
    for (const windowed_value& read : c.s.windows.reads) {
        if (read.value != v) continue;
        const entry& one = all_[static_cast<std::size_t>(read.window)];
        const group_window& shape = *one.shape;
        scalar index;
        if (shape.group_step > 0) index = scaled(column, shape.group_step);
        if (shape.tap_step > 0 && tap)
            index = index ? index + scaled(tap, shape.tap_step) : scaled(tap, shape.tap_step);
        if (!index) index = c.b.integer(0);
        if (shape.vector == 1) return c.b.element(one.held, {index});
        return c.b.element(one.held, {index / shape.vector, index % shape.vector});
    }
    return {};
}

}  // namespace sinter::codegen::lower
