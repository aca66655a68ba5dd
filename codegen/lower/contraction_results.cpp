// Stores of a contraction's results.
#include <codegen/lower/access.hpp>
#include <codegen/lower/contraction.hpp>

#include <map>

namespace sinter::codegen::lower {

using namespace device_ir;

void contraction_lowering::store() {
    std::vector<int> wanted, computed;
    for (const kernel_store& store : c.k.stores) wanted.push_back(store.value);
    for (int v : needed(wanted))
        if (!is_common(v)) computed.push_back(v);
    const bool wide = c.s.product.wide_stores;
    const scalar a = c.b.open_unrolled("a", tile.rows.results);
    const scalar row = c.b.let_index("row", c.index_type(), tile.position(tile.rows, a));
    tile.set_index(tile.rows, row);
    const scalar b = c.b.open_unrolled("b", tile.columns.results, wide ? c.s.vector_width : 1);
    const scalar column = c.b.let_index("column", c.index_type(), tile.position(tile.columns, b));
    tile.set_index(tile.columns, column);
    const scalar exists = row < tile.rows.extent && column < tile.columns.extent;
    c.b.open_branch(has_sets() ? exists && is_first_set() : exists);
    if (wide) {
        store_vector(computed, a, b, column);
    } else {
        for (int r : fold.reductions) c.let_value(r, result(r, a, b));
        let_values(computed);
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) store_value(st);
    }
    c.b.close();
    c.b.close();
    c.b.close();
}

void contraction_lowering::store_value(int st) {
    const kernel_store& store = c.store_at(st);
    c.b.assign(element_in(c, c.output(store.output), store.at, tile.axes), c.converted(st, c.operand(store.value)));
}

/// Neighbours along the columns are computed one by one and stored by one access.
void contraction_lowering::store_vector(const std::vector<int>& computed, const scalar& a, const scalar& b,
                                        const scalar& column) {
    const int stores = static_cast<int>(c.k.stores.size());
    std::vector<id> vectors;
    for (int st = 0; st < stores; ++st) {
        array v{output_name(c.store_at(st).output) + "_at", space::registers, c.output_type(st), {}};
        v.packed = c.s.vector_width;
        vectors.push_back(c.b.declare(v));
    }
    const scalar e = c.b.open_unrolled("e", c.s.vector_width);
    tile.set_index(tile.columns, column + e);
    for (int r : fold.reductions) c.let_value(r, result(r, a, b + e));
    let_values(computed);
    for (int st = 0; st < stores; ++st)
        c.b.assign(c.b.element(vectors[static_cast<std::size_t>(st)], {e}),
                   c.converted(st, c.operand(c.store_at(st).value)));
    c.b.close();
    tile.set_index(tile.columns, column);
    for (int st = 0; st < stores; ++st) {
        const kernel_store& store = c.store_at(st);
        c.b.assign(c.b.memory(c.output(store.output), c.terms(store.at, tile.axes), 0, c.s.vector_width),
                   c.b.element(vectors[static_cast<std::size_t>(st)], {}));
    }
}

}  // namespace sinter::codegen::lower
