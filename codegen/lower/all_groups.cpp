// Folds over all groups. The grid alone decides which groups a thread takes, and the blocks' results are folded in
// block order, so the result does not depend on the order in which blocks run.
#include <codegen/lower/all_groups.hpp>

#include <codegen/lower/row_fold.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

all_groups_lowering::all_groups_lowering(lowering& shared) : c(shared), folds(group_folds(shared.k)) {}

void all_groups_lowering::open() {
    for (int r : folds) c.define(r, c.b.variable_of(c.name(r), c.at(r).type, c.identity(r)));
}

void all_groups_lowering::add(const scalar& counts) {
    if (counts) c.b.open_branch(counts);
    c.open_neighbours();
    for (int r : folds) c.b.assign(c.operand(r), c.combine(r, c.operand(r), c.operand(c.at(r).in[0])));
    c.close_neighbours();
    if (counts) c.b.close();
}

void all_groups_lowering::close() {
    c.in_group = false;
    row_fold fold(c, c.s.block_threads);
    c.b.blank();
    fold(folds);
    if (c.s.folding_blocks > 1) {
        const auto place = [](const scalar& p) { return p; };
        const split_partials partials{folds, "launch",          {},           [this] { return c.b.block(); },
                                      1,     c.b.thread() == 0, c.b.thread(), c.s.block_threads,
                                      place};
        const id ticket = publish_partials(c, partials, c.b.let_index("parts", dtype::int32, c.b.grid()));
        fold(folds);
        reset_ticket(c, ticket);
    }
    c.b.open_branch(c.b.thread() == 0);
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v)
        if (c.at(v).loop == kernel_level && c.at(v).what != value_kind::reduce) c.let_value(v, value_of(v));
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) {
        const kernel_store& store = c.store_at(st);
        if (store.loop != kernel_level) continue;
        c.b.assign(c.b.memory(c.output(store.output), {}), c.converted(st, c.operand(store.value)));
    }
    c.b.close();
}

scalar all_groups_lowering::value_of(int v) {
    const value& self = c.at(v);
    if (self.what == value_kind::index) return c.b.integer(0);
    if (self.what != value_kind::load) return c.expression(v);
    std::vector<term> at;
    if (is_displaced(self)) at.push_back({-1, c.operand(self.in[0]).at, none});
    return c.b.memory(c.input(self.input), std::move(at));
}

}  // namespace sinter::codegen::lower
