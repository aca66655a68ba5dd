// Windows in shared memory: a block loads or computes each element once, by neighbouring threads, for all of its
// groups. Filters that all groups read alike are beside them.
#include <codegen/lower/windows.hpp>

#include <utility>

namespace sinter::codegen::lower {

using namespace device_ir;

void register_windows::declare_staged() {
    const windows_shape& w = c.s.windows;
    for (entry& one : all_) {
        if (!one.shape->staged) continue;
        // rows begin at multiples of the accesses by which they are read
        const int vector = one.shape->vector, row = (w.staged_elements(*one.shape) + vector - 1) / vector * vector;
        const dtype type = c.at(one.shape->value).type;
        array staged{c.unique(c.name(one.shape->value) + "_staged"),
                     space::shared,
                     type,
                     {w.staged_rows(*one.shape, c.s.block_threads), row}};
        if (vector > 1) staged.alignment = vector * static_cast<int>(size_of(type));
        one.staged = c.b.declare(std::move(staged));
    }
    for (const int load : w.filters) {
        array filter{c.unique(c.name(load) + "_filter"), space::shared, c.at(load).type, {w.taps[0]}};
        if (w.down >= 0) filter.extents = {w.taps_down, w.taps[0]};
        filters_[load] = c.b.declare(std::move(filter));
    }
}

void register_windows::stage(const staging_place& where, bool again) {
    if (!c.s.windows.stages()) return;
    where_ = where;
    if (again) c.b.barrier(barrier_scope::block);
    for (const entry& one : all_)
        if (one.shape->staged) stage_rows(one);
    for (const auto& [load, to] : filters_) stage_filter(load, to);
    c.b.barrier(barrier_scope::block);
}

/// The rows of a window are dealt to the rows of threads.
void register_windows::stage_rows(const entry& one) {
    const windows_shape& w = c.s.windows;
    const int lines = c.s.block_threads / w.threads_across;
    if (!one.shape->moves_down) return stage_row(one, where_.line);
    const scalar row = c.index(w.column_axis), below = c.index(w.down);
    c.set_index(w.column_axis, where_.first_row);
    const scalar s = c.b.open_loop("s", dtype::int32, where_.line,
                                   c.b.integer(w.staged_rows(*one.shape, c.s.block_threads)), c.b.integer(lines));
    c.set_index(w.down, s);
    stage_row(one, s);
    c.b.close();
    c.set_index(w.column_axis, row);
    c.set_index(w.down, below);
}

void register_windows::stage_row(const entry& one, const scalar& row) {
    const windows_shape& w = c.s.windows;
    const int along = w.along[static_cast<std::size_t>(c.at(one.shape->value).loop)];
    const int elements = w.staged_elements(*one.shape), whole = elements / w.threads_across;
    const scalar column = c.index(w.row_axis);
    c.set_index(w.row_axis, where_.first_column);
    const auto put = [&](const scalar& position) {
        c.set_index(along, position);
        assign_computed(one, c.b.element(one.staged, {row, position}));
    };
    const scalar u = c.b.open_unrolled("u", whole);
    put(c.b.let_index("position", dtype::int32, where_.lane + scaled(u, w.threads_across)));
    c.b.close();
    if (elements % w.threads_across != 0) {
        c.b.open_scope();
        const scalar last = c.b.let_index("position", dtype::int32, where_.lane + whole * w.threads_across);
        c.b.open_branch(last < elements);
        put(last);
        c.b.close();
        c.b.close();
    }
    c.set_index(w.row_axis, column);
}

void register_windows::stage_filter(int load, id to) {
    const windows_shape& w = c.s.windows;
    const scalar below = w.down < 0 ? scalar() : c.index(w.down);
    const scalar t = c.b.open_loop("t", dtype::int32, c.b.index_cast(dtype::int32, c.b.thread()),
                                   c.b.integer(w.taps[0] * w.taps_down), c.b.integer(c.s.block_threads));
    std::vector<scalar> indices{t};
    if (w.down >= 0) {
        indices = {t / w.taps[0], t % w.taps[0]};
        c.set_index(w.down, indices[0]);
    }
    c.set_index(w.along[0], indices.back());
    c.b.assign(c.b.element(to, indices),
               c.b.memory(c.input(c.at(load).input), c.terms(c.at(load).at, axes_around(c, 0))));
    c.b.close();
    if (w.down >= 0) c.set_index(w.down, below);
}

/// The thread's own row of a staged window, at the current index down.
void register_windows::read_staged(const entry& one) {
    const windows_shape& w = c.s.windows;
    const int vector = one.shape->vector, whole = one.shape->elements / vector, rest = one.shape->elements % vector;
    const scalar row = one.shape->moves_down ? scaled(where_.line, w.rows * w.row_step) + c.index(w.down) : where_.line;
    const auto from = [&](const scalar& position) { return scaled(where_.lane, w.columns) + position; };
    const scalar a = c.b.open_unrolled("a", whole);
    const std::vector<scalar> place{row, from(scaled(a, vector))};
    c.b.assign(c.b.element(one.held, {a}),
               vector == 1 ? c.b.element(one.staged, place) : c.b.neighbours(one.staged, place, vector));
    c.b.close();
    if (rest == 0) return;
    const scalar e = c.b.open_unrolled("a", rest);
    c.b.assign(c.b.element(one.held, {c.b.integer(whole), e}),
               c.b.element(one.staged, {row, from(e + whole * vector)}));
    c.b.close();
}

}  // namespace sinter::codegen::lower
