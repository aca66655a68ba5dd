// The sums of a slice, and what is stored of them in the end.
#include <codegen/lower/nested_products.hpp>

#include <numeric>
#include <vector>

namespace sinter::codegen::lower {

using namespace device_ir;

void nested_lowering::multiply_results(const scalar& buffer) {
    for (std::size_t p = 0; p < of.results.size(); ++p) {
        if (of.results[p].y < 0) {
            each_row([&](const scalar& i, const scalar& h) {
                const scalar sum = c.b.element(results[p], {i, h});
                unrolled("j", slice_fragments(), [&](const scalar& j) {
                    unrolled("e", fragment_elements / 2, [&](const scalar& e) {
                        c.b.assign(sum, c.combine(of.results[p].sum, sum,
                                                  c.b.element(weights[p], {i, j, h * 2 + e % 2 + e / 2 * 4})));
                    });
                });
            });
            continue;
        }
        tensor_factor& y = ys[p];
        unrolled("k", slice_fragments(), [&](const scalar& k) {
            unrolled("j", result_fragments(), [&](const scalar& j) {
                y.read_fragment(buffer, j * fragment_rows, k * fragment_rows, j);
                unrolled("i", row_fragments(), [&](const scalar& i) {
                    c.b.multiply_accumulate(c.b.element(results[p], {i, j}), c.b.element(weights[p], {i, k}),
                                            y.fragment(j));
                });
            });
        });
    }
}

/// Sums without columns: the 4 lanes that share a row fold theirs.
void nested_lowering::store_rows() {
    std::vector<int> stores(c.k.stores.size());
    std::iota(stores.begin(), stores.end(), 0);
    const std::vector<int> computed = values_stored(c, stores);
    each_row([&](const scalar& i, const scalar& h) {
        for (std::size_t p = 0; p < of.results.size(); ++p) {
            const scalar own = c.b.element(results[p], {i, h});
            const scalar offset = c.b.open_halving("offset", 2, 0);
            c.b.assign(own, c.combine(of.results[p].sum, own, c.b.exchange(exchange_pattern::butterfly, own, offset)));
            c.b.close();
        }
        const scalar row = c.b.let_index("row", c.index_type(), row_of(i, h));
        c.b.open_branch(row < rows.extent && lane % 4 == 0);
        c.set_index(t.row_axis, row);
        for (std::size_t p = 0; p < of.results.size(); ++p)
            c.define(of.results[p].sum, c.b.element(results[p], {i, h}));
        let_group_values(c, computed, c.k.outer);
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
            c.b.assign(element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer),
                       c.converted(st, c.operand(c.store_at(st).value)));
        c.b.close();
    });
}

void nested_lowering::store() {
    std::vector<int> stores(c.k.stores.size());
    std::iota(stores.begin(), stores.end(), 0);
    const std::vector<int> computed = values_stored(c, stores);
    each_row([&](const scalar& i, const scalar& h) {
        const scalar row = c.b.let_index("row", c.index_type(), row_of(i, h));
        c.b.open_branch(row < rows.extent);
        c.set_index(t.row_axis, row);
        unrolled("j", 2 * result_fragments(), [&](const scalar& j) { store_pair(computed, i, h, j); });
        c.b.close();
    });
}

/// Two neighbouring columns of a lane, of the j-th 8.
void nested_lowering::store_pair(const std::vector<int>& computed, const scalar& i, const scalar& h, const scalar& j) {
    const scalar column = c.b.let_index("column", c.index_type(), columns.first + (j * 8 + lane % 4 * 2));
    const auto stores = static_cast<int>(c.k.stores.size());
    if (t.wide_stores) c.b.open_branch(column < columns.extent);
    std::vector<id> pairs;
    for (int st = 0; st < stores && t.wide_stores; ++st)
        pairs.push_back(registers(output_name(c.store_at(st).output) + "_at", c.output_type(st), {}, 2, false));
    const scalar e = c.b.open_unrolled("e", 2);
    if (!t.wide_stores) c.b.open_branch(column + e < columns.extent);
    c.set_index(t.column_axis, column + e);
    for (std::size_t p = 0; p < of.results.size(); ++p)
        c.let_value(of.results[p].sum, c.b.element(results[p], {i, j / 2, h * 2 + j % 2 * 4 + e}));
    let_group_values(c, computed, c.k.outer);
    for (int st = 0; st < stores; ++st) {
        const kernel_store& one = c.store_at(st);
        const scalar to = t.wide_stores ? c.b.element(pairs[static_cast<std::size_t>(st)], {e})
                                        : element_in(c, c.output(one.output), one.at, c.k.outer);
        c.b.assign(to, c.converted(st, c.operand(one.value)));
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
