// Applies to the sums what their weights have in common, such as the division by the totals, computes what follows and
// stores it.
#include <codegen/lower/online.hpp>

#include <sinter/op/functions.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

void online_lowering::store() {
    each_row([&](const scalar& i, const scalar& h) { fold_lanes(of.total, c.b.element(totals, {i, h})); });
    std::vector<int> of_rows, of_elements;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        (is_of_row(c.store_at(st)) ? of_rows : of_elements).push_back(st);
    each_row([&](const scalar& i, const scalar& h) {
        const scalar row = c.b.let_index("row", c.index_type(), row_of(i, h));
        c.b.open_branch(row < rows.extent);
        c.set_index(t.row_axis, row);
        define_folds(i, h);
        let_group_values(c, values_of_sums(), c.k.outer);
        if (!of_rows.empty()) store_row(of_rows, i, h);
        unrolled("j", 2 * result_fragments(), [&](const scalar& j) { store_pair(of_elements, i, h, j); });
        c.b.close();
    });
}

/// A sum that would be infinite without the factor of its weights is divided before the factor is.
void online_lowering::let_result(const scalar& sum) {
    if (!has_split_weights(c.k, of)) return c.let_value(of.result, scaled(of.of_sums, sum));
    const scalar whole = c.b.let(c.unique("whole_sum"), dtype::float32, times(sum, number(sums_are_multiplied_by)));
    const scalar is_number = c.b.let(c.unique("is_number"), dtype::bool_,
                                     c.b.operation(op::isfinite::row, dtype::bool_, dtype::float32, {whole, {}, {}}));
    const scalar result =
        c.b.let(c.unique("of_sum"), dtype::float32, scaled(of.of_sums, c.b.select(is_number, whole, sum)));
    c.let_value(of.result, c.b.select(is_number, result, times(result, number(sums_are_multiplied_by))));
}

/// Whether a store is the same for all columns.
bool online_lowering::is_of_row(const kernel_store& one) const {
    return step_of(c.k, one.at, t.column_axis) == step::none;
}

void online_lowering::define_folds(const scalar& i, const scalar& h) {
    c.define(of.maximum, c.b.element(maxima, {i, h}));
    c.define(of.total, c.b.element(totals, {i, h}));
}

/// What one of the lanes that share a row stores for all of its columns, which are in one tile.
void online_lowering::store_row(const std::vector<int>& stores, const scalar& i, const scalar& h) {
    c.b.open_branch(lane % 4 == 0);
    c.set_index(t.column_axis, columns.first);
    define_folds(i, h);
    let_group_values(c, values_stored(c, stores), c.k.outer);
    for (int st : stores)
        c.b.assign(element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer),
                   c.converted(st, c.operand(c.store_at(st).value)));
    c.b.close();
}

/// Two neighbouring columns of a lane, of the j-th 8.
void online_lowering::store_pair(const std::vector<int>& stores, const scalar& i, const scalar& h, const scalar& j) {
    const scalar column = c.b.let_index("column", c.index_type(), columns.first + (j * 8 + lane % 4 * 2));
    if (t.wide_stores) c.b.open_branch(column < columns.extent);
    std::vector<id> pairs;
    for (int st : stores)
        if (t.wide_stores)
            pairs.push_back(registers(output_name(c.store_at(st).output) + "_at", c.output_type(st), {}, 2, false));
    const scalar e = c.b.open_unrolled("e", 2);
    if (!t.wide_stores) c.b.open_branch(column + e < columns.extent);
    c.set_index(t.column_axis, column + e);
    define_folds(i, h);
    const scalar sum = c.b.element(results, {i, j / 2, h * 2 + j % 2 * 4 + e});
    let_result(sum);
    let_group_values(c, values_stored(c, stores), c.k.outer);
    for (std::size_t p = 0; p < stores.size(); ++p) {
        const kernel_store& one = c.store_at(stores[p]);
        const scalar to =
            t.wide_stores ? c.b.element(pairs[p], {e}) : element_in(c, c.output(one.output), one.at, c.k.outer);
        c.b.assign(to, c.converted(stores[p], c.operand(one.value)));
    }
    if (!t.wide_stores) c.b.close();
    c.b.close();
    if (!t.wide_stores) return;
    c.set_index(t.column_axis, column);
    for (std::size_t p = 0; p < stores.size(); ++p) {
        const kernel_store& one = c.store_at(stores[p]);
        c.b.assign(c.b.memory(c.output(one.output), c.terms(one.at, c.k.outer), 0, 2), c.b.element(pairs[p], {}));
    }
    c.b.close();
}

}  // namespace sinter::codegen::lower
