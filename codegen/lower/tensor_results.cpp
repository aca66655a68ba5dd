// What follows the sums of a contraction on tensor cores, from registers.
#include <codegen/lower/access.hpp>
#include <codegen/lower/tensor.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void tensor_lowering::store() {
    std::vector<int> wanted;
    for (const kernel_store& one : c.k.stores) wanted.push_back(one.value);
    const std::vector<int> computed = group_values_needed(c, wanted);
    const scalar i = c.b.open_unrolled("i", row_fragments());
    const scalar below = c.b.open_unrolled("below", 2);
    const scalar row =
        c.b.let_index("row", c.index_type(), rows.first + (warp_row + i * rows_apart() + below * 8 + lane / 4));
    c.set_index(t.row_axis, row);
    if (t.exchanges)
        store_exchanged(computed, row, i, below);
    else
        store_pairs(computed, row, i, below);
    c.b.close();
    c.b.close();
}

/// A lane holds pairs of neighbouring columns: in 2 rows and at 2 columns of each fragment.
void tensor_lowering::store_pairs(const std::vector<int>& computed, const scalar& row, const scalar& i,
                                  const scalar& below) {
    c.b.open_branch(row < rows.extent);
    const scalar j = c.b.open_unrolled("j", result_fragments());
    const scalar beside = c.b.open_unrolled("beside", 2);
    const scalar column = c.b.let_index("column", c.index_type(),
                                        columns.first + (warp_column + j * fragment_rows + beside * 8 + lane % 4 * 2));
    const auto element = [&](const scalar& e) { return c.b.element(sums, {i, j, below * 2 + beside * 4 + e}); };
    if (t.wide_stores) {
        store_neighbours(computed, row, column, 2, element);
    } else {
        store_each(computed, column, 2, element);
    }
    for (int open = 0; open < 3; ++open) c.b.close();
}

/// Of 32 columns of a row, 4 lanes have two pairs of each fragment. Then a lane gets 8 neighbours: pair n of lane l
/// becomes pair l of lane n.
void tensor_lowering::store_exchanged(const std::vector<int>& computed, const scalar& row, const scalar& i,
                                      const scalar& below) {
    const scalar j = c.b.open_unrolled("j", result_fragments(), 2);
    const id pairs = registers("exchanged", dtype::float32, {4, 2}, 1, false);
    const auto pair = [&](const scalar& n, const scalar& e) { return c.b.element(pairs, {n, e}); };
    unrolled("n", 4, [&](const scalar& n) {
        unrolled("e", 2, [&](const scalar& e) {
            c.b.assign(pair(n, e), c.b.element(sums, {i, j + n / 2, below * 2 + n % 2 * 4 + e}));
        });
    });
    for (const int bit : {1, 2}) {
        const scalar is_second = c.b.let_index(c.unique("is_second"), dtype::bool_, 0 < lane / bit % 2);
        unrolled("n", 2, [&](const scalar& n) {
            unrolled("e", 2, [&](const scalar& e) {
                const scalar first = bit == 1 ? n * 2 : n, second = first + bit;
                const scalar given = c.b.select(is_second, pair(first, e), pair(second, e));
                const scalar taken = c.b.let("taken", dtype::float32,
                                             c.b.exchange(exchange_pattern::butterfly, given, c.b.integer(bit)));
                c.b.assign(pair(first, e), c.b.select(is_second, taken, pair(first, e)));
                c.b.assign(pair(second, e), c.b.select(is_second, pair(second, e), taken));
            });
        });
    }
    const scalar column =
        c.b.let_index("column", c.index_type(), columns.first + (warp_column + j * fragment_rows + lane % 4 * 8));
    store_neighbours(computed, row, column, 8, [&](const scalar& e) { return pair(e / 2, e % 2); });
    c.b.close();
}

void tensor_lowering::let_result(const std::vector<int>& computed, const scalar& column, const scalar& e,
                                 const element_of_row& element, const std::map<int, id>& loaded) {
    c.set_index(t.column_axis, column + e);
    c.let_value(of.sum, element(e));
    for (const int v : computed) {
        if (const auto here = loaded.find(v); here != loaded.end())
            c.define(v, c.b.element(here->second, {e}));
        else
            let_group_values(c, {v}, c.k.outer);
    }
}

/// Loads of neighbouring columns.
std::map<int, id> tensor_lowering::load_neighbours(const std::vector<int>& computed, int count) {
    std::map<int, id> loaded;
    const std::vector<char> wide = wide_values(c.k, t);
    for (const int v : computed) {
        if (wide[static_cast<std::size_t>(v)] == 0) continue;
        const id here = loaded[v] = registers(c.name(v) + "_at", c.at(v).type, {}, count, false);
        c.b.assign(c.b.element(here, {}), c.b.memory(c.input(c.at(v).input), c.terms(c.at(v).at, c.k.outer), 0, count));
    }
    return loaded;
}

void tensor_lowering::store_each(const std::vector<int>& computed, const scalar& column, int count,
                                 const element_of_row& element) {
    const scalar e = c.b.open_unrolled("e", count);
    c.b.open_branch(column + e < columns.extent);
    let_result(computed, column, e, element, {});
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        c.b.assign(element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer),
                   c.converted(st, c.operand(c.store_at(st).value)));
    c.b.close();
    c.b.close();
}

/// Whether some of the values are loads or indices that go along a side.
bool tensor_lowering::reads_along(const tile_side& side, const std::vector<int>& values) const {
    return std::any_of(values.begin(), values.end(), [&](int v) {
        return side.varies(c.at(v)) && c.at(v).what != value_kind::elementwise && c.at(v).what != value_kind::cast;
    });
}

/// What lies past the last row or column repeats it, and is not stored: a test around all of this would keep loads of
/// several columns from being under way together.
void tensor_lowering::store_neighbours(const std::vector<int>& computed, const scalar& row, const scalar& column,
                                       int count, const element_of_row& element) {
    const auto inside = [&](const tile_side& side, const scalar& index, int last) {
        if (!reads_along(side, computed)) return index;
        return c.b.let_index(side.name + "_inside", c.index_type(),
                             c.b.select(index < side.extent, index, side.extent - last));
    };
    const scalar row_inside = inside(rows, row, 1), column_inside = inside(columns, column, count);
    c.set_index(t.row_axis, row_inside);
    c.set_index(t.column_axis, column_inside);
    const std::map<int, id> loaded = load_neighbours(computed, count);
    std::vector<id> results;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        results.push_back(registers(output_name(c.store_at(st).output) + "_at", c.output_type(st), {}, count, false));
    const scalar e = c.b.open_unrolled("e", count);
    let_result(computed, column_inside, e, element, loaded);
    for (std::size_t st = 0; st < results.size(); ++st)
        c.b.assign(c.b.element(results[st], {e}),
                   c.converted(static_cast<int>(st), c.operand(c.store_at(static_cast<int>(st)).value)));
    c.b.close();
    c.b.open_branch(row < rows.extent && column < columns.extent);
    c.set_index(t.row_axis, row);
    c.set_index(t.column_axis, column);
    for (std::size_t st = 0; st < results.size(); ++st) {
        const kernel_store& one = c.store_at(static_cast<int>(st));
        c.b.assign(c.b.memory(c.output(one.output), c.terms(one.at, c.k.outer), 0, count),
                   c.b.element(results[st], {}));
    }
    c.b.close();
}

}  // namespace sinter::codegen::lower
