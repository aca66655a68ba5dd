// Divides the sums by the totals, computes what follows and stores it.
#include <codegen/lower/online.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

void online_lowering::store() {
    each_row([&](const scalar& i, const scalar& h) { fold_lanes(of.total, c.b.element(totals, {i, h})); });
    std::vector<int> wanted, computed;
    for (const kernel_store& one : c.k.stores) wanted.push_back(one.value);
    for (int v : group_values_needed(c, wanted))
        if (c.at(v).loop == group_level) computed.push_back(v);
    each_row([&](const scalar& i, const scalar& h) {
        const scalar row = c.b.let_index("row", c.index_type(), row_of(i, h));
        c.b.open_branch(row < rows.extent);
        c.set_index(t.row_axis, row);
        unrolled("j", 2 * result_fragments(), [&](const scalar& j) { store_pair(computed, i, h, j); });
        c.b.close();
    });
}

/// Two neighbouring columns of a lane, of the j-th 8.
void online_lowering::store_pair(const std::vector<int>& computed, const scalar& i, const scalar& h, const scalar& j) {
    const scalar column = c.b.let_index("column", c.index_type(), columns.first + (j * 8 + lane % 4 * 2));
    const auto stores = static_cast<int>(c.k.stores.size());
    if (t.wide_stores) c.b.open_branch(column < columns.extent);
    std::vector<id> pairs;
    for (int st = 0; st < stores && t.wide_stores; ++st)
        pairs.push_back(registers(output_name(c.store_at(st).output) + "_at", c.output_type(st), {}, 2, false));
    const scalar e = c.b.open_unrolled("e", 2);
    if (!t.wide_stores) c.b.open_branch(column + e < columns.extent);
    c.set_index(t.column_axis, column + e);
    c.define(of.maximum, c.b.element(maxima, {i, h}));
    c.define(of.total, c.b.element(totals, {i, h}));
    const scalar sum = c.b.element(results, {i, j / 2, h * 2 + j % 2 * 4 + e});
    c.let_value(of.result, op(of.quotient, sum, c.b.element(totals, {i, h})));
    let_group_values(c, computed, c.k.outer);
    for (int st = 0; st < stores; ++st) {
        const scalar to = t.wide_stores ? c.b.element(pairs[static_cast<std::size_t>(st)], {e})
                                        : element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer);
        c.b.assign(to, c.converted(st, c.operand(c.store_at(st).value)));
    }
    if (!t.wide_stores) c.b.close();
    c.b.close();
    if (!t.wide_stores) return;
    c.set_index(t.column_axis, column);
    for (int st = 0; st < stores; ++st) {
        const kernel_store& one = c.store_at(st);
        c.b.assign(c.b.memory(c.output(one.output), c.terms(one.at, c.k.outer), 0, 2),
                   c.b.element(pairs[static_cast<std::size_t>(st)], {}));
    }
    c.b.close();
}

}  // namespace sinter::codegen::lower
