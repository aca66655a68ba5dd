// The end of a nested product: loops over the columns of a row, which lie in the registers of neighbouring threads.
#include <codegen/render/product.hpp>

#include <algorithm>

namespace sinter::codegen {

// The lanes of a row fold what each of them found in its columns.
void product_renderer::fold_columns(const std::vector<int>& reductions) {
    c.out.line("#pragma unroll");
    c.out.open("for (int offset = {}; offset > 0; offset /= 2)", columns.threads / 2);
    for (int r : reductions)
        c.out.line("{} = {};", c.name(r),
                   c.combine(r, c.name(r), fmt::format("__shfl_xor_sync(0xffffffffu, {}, offset)", c.name(r))));
    c.out.close();
}

// One loop over the columns of a row: a thread's own, by what it holds of them.
void product_renderer::column_loop(int l) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    std::vector<int> wanted, computed;
    std::vector<const kernel_store*> stores;
    for (int r : reductions) wanted.push_back(at(r).in[0]);
    for (const kernel_store& store : c.k.stores)
        if (store.loop == l) {
            stores.push_back(&store);
            wanted.push_back(store.value);
        }
    for (int v : needed(wanted))
        if (at(v).loop == l || at(v).loop == nest_level) computed.push_back(v);
    for (int r : reductions) c.out.line("{} {} = {};", c.type(at(r).type), c.name(r), c.identity(r));
    c.out.line("#pragma unroll");
    c.out.open("for (int b = 0; b < {}; ++b)", columns.results);
    c.out.line("const {} column = {};", c.index_type(), result(columns, "b"));
    c.out.open("if (column < columns{})", stores.empty() ? "" : " && place < rows");
    const auto uses = [&](int r) {
        return std::find(wanted.begin(), wanted.end(), r) != wanted.end() ||
               std::any_of(computed.begin(), computed.end(),
                           [&](int v) { return std::find(at(v).in.begin(), at(v).in.end(), r) != at(v).in.end(); });
    };
    for (int r : functions[0].reductions)
        if (uses(r)) c.out.line("const {0} {1} = {1}_at[a][b];", c.type(at(r).type), c.name(r));
    values(computed);
    for (int r : reductions) {
        const int in = at(r).in[0];
        c.out.line("{} = {};", c.name(r), c.combine(r, c.name(r), c.operand(in), at(in).type));
    }
    for (const kernel_store* store : stores) store_value(*store);
    c.out.close();
    c.out.close();
    if (!reductions.empty()) fold_columns(reductions);
}

void product_renderer::go_over_columns() {
    std::vector<int> wanted, of_row;
    for (const kernel_store& store : c.k.stores) wanted.push_back(store.value);
    for (int v : needed(wanted))
        if (at(v).loop == group_level && std::find(plain.begin(), plain.end(), v) == plain.end()) of_row.push_back(v);
    const auto stage = [&](int n) {
        std::vector<int> here;
        for (int v : of_row)
            if (at(v).stage == n) here.push_back(v);
        values(here);
    };
    c.out.comment("All columns of a row are in the registers of neighbouring threads.");
    c.out.line("#pragma unroll");
    c.out.open("for (int a = 0; a < {}; ++a)", rows.results);
    c.out.line("const {} place = {};", c.index_type(), result(rows, "a"));
    c.out.line("const {} row = place < rows ? place : rows - 1;", c.index_type());
    stage(0);
    for (int l = 1; l < static_cast<int>(c.k.loops.size()); ++l) {
        column_loop(l);
        stage(l + 1);
    }
    std::vector<const kernel_store*> once;
    for (const kernel_store& store : c.k.stores)
        if (store.loop == group_level) once.push_back(&store);
    if (!once.empty()) {
        c.out.open("if (thread_column == 0 && place < rows)");
        for (const kernel_store* store : once) store_value(*store);
        c.out.close();
    }
    c.out.close();
}

}  // namespace sinter::codegen
