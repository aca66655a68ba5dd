// Each fold is an array of registers. Where a block has one row at a time, they are stored as they are; otherwise they
// meet in shared memory.
#include <codegen/lower/column_folds.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

column_folds_lowering::column_folds_lowering(lowering& shared) : c(shared), folds_(column_folds(shared.k)) {
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        if (c.store_at(st).loop == block_level) stores_.push_back(st);
    if (!empty()) axis_ = c.k.loops.back().axes[0];
}

template <class F>
void column_folds_lowering::each_element(F body) {
    c.open_unroll();
    if (c.s.vector_width > 1) c.neighbour = c.b.open_unrolled("e", c.s.vector_width);
    body();
    if (c.s.vector_width > 1) c.b.close();
    c.close_unroll();
}

scalar column_folds_lowering::of_access(int fold) {
    std::vector<scalar> indices;
    if (c.s.unroll > 1) indices.push_back(c.access);
    if (c.s.vector_width > 1) indices.push_back(c.neighbour);
    return c.b.element(registers_.at(fold), indices);
}

scalar column_folds_lowering::position_of_access(const column_walk& walk) {
    const scalar start = walk.first ? walk.first : c.b.integer(0);
    return c.s.unroll > 1 ? start + c.access * walk.distance : start;
}

void column_folds_lowering::open() {
    if (empty()) return;
    c.b.comment("Folds of the thread's columns, over all rows of the block.");
    for (int fold : folds_) {
        array held{c.name(fold) + "_of_column", space::registers, c.at(fold).type, {}};
        if (c.s.unroll > 1) held.extents.push_back(c.s.unroll);
        if (c.s.vector_width > 1) held.extents.push_back(c.s.vector_width);
        registers_[fold] = c.b.declare(held);
    }
    each_element([this] {
        for (int fold : folds_) c.b.assign(of_access(fold), c.identity(fold));
    });
}

void column_folds_lowering::close(const column_walk& walk) {
    if (empty()) return;
    c.b.blank();
    if (c.s.block_threads == c.s.threads_per_output)
        store_registers(walk);
    else
        store_from_shared(walk);
}

scalar column_folds_lowering::destination(int store, int count) {
    const kernel_store& to = c.store_at(store);
    c.set_index(c.k.block_axis, c.block_position());
    return c.b.memory(c.output(to.output), c.terms(to.at, {c.k.block_axis, axis_}), 0, count);
}

void column_folds_lowering::store_registers(const column_walk& walk) {
    c.b.comment("What the block's rows come to, for a kernel that folds the results of all blocks.");
    c.open_unroll();
    const scalar at = c.b.let_index(c.unique("column"), c.index_type(), position_of_access(walk));
    c.b.open_branch(at < c.trips(0));
    std::vector<int> layouts;
    for (int st : stores_) layouts.push_back(c.store_at(st).at);
    c.decompose({axis_}, at, layouts);
    for (int st : stores_) {
        const int fold = c.store_at(st).value;
        array held{output_name(c.store_at(st).output) + "_at", space::registers, c.output_type(st), {}};
        held.packed = c.s.vector_width;
        const id together = c.b.declare(held);
        if (c.s.vector_width > 1) c.neighbour = c.b.open_unrolled("e", c.s.vector_width);
        c.b.assign(
            c.b.element(together, c.s.vector_width > 1 ? std::vector<scalar>{c.neighbour} : std::vector<scalar>()),
            c.converted(st, of_access(fold)));
        if (c.s.vector_width > 1) c.b.close();
        c.b.assign(destination(st, c.s.vector_width), c.b.element(together, {}));
    }
    c.b.close();
    c.close_unroll();
}

void column_folds_lowering::store_from_shared(const column_walk& walk) {
    const int rows = groups_per_block(c.s), columns = c.s.threads_per_output * c.s.unroll * c.s.vector_width;
    c.b.comment("The block's rows meet in shared memory; each thread then folds some columns of all of them.");
    std::map<int, id> shared;
    for (int fold : folds_)
        shared[fold] = c.b.declare({c.name(fold) + "_of_rows", space::shared, c.at(fold).type, {rows, columns}});
    const scalar row = c.b.thread() / c.s.threads_per_output;
    each_element([&] {
        scalar at = position_of_access(walk);
        if (c.s.vector_width > 1) at = at + c.neighbour;
        for (int fold : folds_) c.b.assign(c.b.element(shared.at(fold), {row, at}), of_access(fold));
    });
    c.b.barrier(barrier_scope::block);
    const scalar column = c.b.open_loop(c.unique("column"), c.index_type(), c.b.thread(), c.b.integer(columns),
                                        c.b.integer(c.s.block_threads), 0);
    for (int fold : folds_)
        c.define(fold, c.b.variable_of(c.name(fold), c.at(fold).type,
                                       c.b.element(shared.at(fold), {c.b.integer(0), column})));
    const scalar p = c.b.open_loop("p", dtype::int32, c.b.integer(1), c.b.integer(rows), c.b.integer(1), 0);
    for (int fold : folds_)
        c.b.assign(c.operand(fold), c.combine(fold, c.operand(fold), c.b.element(shared.at(fold), {p, column})));
    c.b.close();
    c.b.open_branch(column < c.trips(0));
    c.set_index(axis_, column);
    for (int st : stores_) c.b.assign(destination(st, 1), c.converted(st, c.operand(c.store_at(st).value)));
    c.b.close();
    c.b.close();
}

}  // namespace sinter::codegen::lower
