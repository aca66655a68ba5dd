// Products: a block computes a tile of results along two outer axes, each of its threads a small tile of that.
#include <codegen/render/product.hpp>

#include <codegen/render/access.hpp>
#include <codegen/render/forms.hpp>
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

product_renderer::product_renderer(context& shared) : c(shared) {
    const product_tile& t = c.s.product;
    rows = {t.row_axis, t.rows, t.thread_rows, "row", "rows", "a"};
    columns = {t.column_axis, t.columns, t.thread_columns, "column", "columns", "b"};
    functions.push_back(make_element_function(c, 0, "fold_0"));
    int ordinal = 0;
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v) {
        if (at(v).what != value_kind::load) continue;
        const int position = ordinal++;
        if (!is_element_load(c.k, v)) continue;
        const tile_side* side = varies(v, rows) ? &rows : varies(v, columns) ? &columns : nullptr;
        loads.push_back({v, side, staged_along_steps(c.k, at(v), side != nullptr ? side->axis : -1),
                         (t.wide_loads >> position & 1) != 0, c.unique(c.name(v) + "_tile"),
                         c.unique(c.name(v) + "_next"), c.unique(c.name(v) + "_at")});
    }
    for (int v : needed(functions[0].outside)) (is_row_or_column(v) ? own : plain).push_back(v);
    axes = c.k.outer;
    if (c.k.nest_axis < 0) return;
    axes.push_back(c.k.nest_axis);
    for (std::size_t l = 1; l < c.k.loops.size(); ++l) axes.push_back(c.k.loops[l].axes[0]);
}

// The values outside loop 0 that `wanted` need, they among them, without those that need no line.
std::vector<int> product_renderer::needed(std::vector<int> wanted) const {
    std::vector<bool> marked(c.k.values.size(), false);
    std::vector<int> found;
    while (!wanted.empty()) {
        const int v = wanted.back();
        wanted.pop_back();
        const value& self = at(v);
        if (marked[static_cast<std::size_t>(v)] || self.loop == 0 || self.over == 0) continue;
        marked[static_cast<std::size_t>(v)] = true;
        for (int in : self.in)
            if (in >= 0) wanted.push_back(in);
        if (self.what != value_kind::reduce && self.what != value_kind::scalar && self.what != value_kind::constant)
            found.push_back(v);
    }
    std::sort(found.begin(), found.end());
    return found;
}

// The number of a thread's result in the whole tile: neighbours in memory come by `vector` to each thread in turn.
std::string product_renderer::result(const tile_side& side, const std::string& which) const {
    if (vector() == 1) return fmt::format("tile_{0} + thread_{0} + {1} * {2}", side.noun, which, side.threads);
    if (side.results == vector()) return fmt::format("tile_{0} + thread_{0} * {1} + {2}", side.noun, vector(), which);
    return fmt::format("tile_{0} + (thread_{0} + {1} / {2} * {3}) * {2} + {1} % {2}", side.noun, which, vector(),
                       side.threads);
}

std::string product_renderer::element_of(const tile_side& side, const std::string& name) const {
    if (vector() == 1) return fmt::format("{}[{}]", name, side.counter);
    return fmt::format("{0}[{1} / {2}].at[{1} % {2}]", name, side.counter, vector());
}

void product_renderer::place_tiles() {
    const std::string index = c.index_type();
    const std::string block = c.s.wide_index ? index + "(blockIdx.x)" : "blockIdx.x";
    c.out.comment(
        fmt::format("A block computes a tile of {} x {} results, a thread {} x {} of them: every element that it reads "
                    "serves a row or a column of its results. Threads behind the last row or column repeat it and "
                    "store nothing.",
                    rows.size(), columns.size(), rows.results, columns.results));
    for (const tile_side* side : {&rows, &columns})
        c.out.line("const {} {} = {};", index, side->extent, c.extent(side->axis));
    c.out.line("const {} tiles = (columns + {}) / {};  // side by side", index, columns.size() - 1, columns.size());
    const std::vector<int> others = outer_axes_beside(c.k, rows.axis, columns.axis);
    if (others.empty()) {
        c.out.line("const {} tile_row = {} / tiles * {};", index, block, rows.size());
    } else {
        c.out.line("const {} tiles_below = (rows + {}) / {};", index, rows.size() - 1, rows.size());
        c.out.line("const {} tile_row = {} / tiles % tiles_below * {};", index, block, rows.size());
        c.out.line("const {} layer = {} / tiles / tiles_below;", index, block);
    }
    c.out.line("const {} tile_column = {} % tiles * {};", index, block, columns.size());
    if (!others.empty()) c.decompose(others, "layer", layouts_of(c.k));
    c.out.line("const int thread_row = threadIdx.x / {};", columns.threads);
    c.out.line("const int thread_column = threadIdx.x % {};", columns.threads);
    c.decompose({rows.axis}, "row", {});
    for (int axis : axes)
        if (axis == columns.axis || std::find(c.k.outer.begin(), c.k.outer.end(), axis) == c.k.outer.end())
            c.decompose({axis}, "column", {});
}

void product_renderer::values(const std::vector<int>& list) {
    for (int v : list) {
        const value& self = at(v);
        const std::string right = self.what == value_kind::load
                                      ? c.subscript(input_name(self.input), self.at, axes, self.in[0])
                                  : self.what == value_kind::index ? c.offset(self.at, axes)
                                                                   : c.expression(v);
        c.out.line("const {} {} = {};", c.type(self.type), c.name(v), right);
    }
}

// What the loop needs of the groups themselves, once for each row and column of a thread.
void product_renderer::group_values() {
    values(plain);
    for (const tile_side* side : {&rows, &columns}) {
        std::vector<int> here, kept;
        for (int v : own)
            if (varies(v, *side)) here.push_back(v);
        for (int v : functions[0].outside)
            if (std::find(here.begin(), here.end(), v) != here.end()) kept.push_back(v);
        if (kept.empty()) continue;
        for (int v : kept) c.out.line("{} {}_at[{}];", c.type(at(v).type), c.name(v), side->results);
        c.out.line("#pragma unroll");
        c.out.open("for (int {0} = 0; {0} < {1}; ++{0})", side->counter, side->results);
        c.out.line("{} {} = {};", c.index_type(), side->noun, result(*side, side->counter));
        c.out.line("if ({0} >= {1}) {0} = {1} - 1;", side->noun, side->extent);
        values(here);
        for (int v : kept) c.out.line("{0}_at[{1}] = {0};", c.name(v), side->counter);
        c.out.close();
    }
}

void product_renderer::declare() {
    c.out.comment(fmt::format("Two slices of {} steps: one is computed while the next is on its way.", depth()));
    for (const staged_load& l : loads) {
        const dtype d = at(l.value).type;
        if (l.side == nullptr)
            c.out.line("__shared__ {} {}[2][{}];", c.type(d), l.tile, depth());
        else if (vector() == 1)
            c.out.line("__shared__ {} {}[2][{}][{}];", c.type(d), l.tile, depth(), l.side->size() + 1);
        else  // one more, so that neighbouring steps lie in other banks
            c.out.line("__shared__ {} {}[2][{}][{}];", c.vector_type(d), l.tile, depth(),
                       l.side->size() / vector() + 1);
    }
    for (const staged_load& l : loads)
        c.out.line("{} {}{} = {{}};", l.wide ? c.vector_type(at(l.value).type) : c.type(at(l.value).type), l.next,
                   accesses(l) > 1 ? fmt::format("[{}]", accesses(l)) : "");
    group_values();
    for (int r : functions[0].reductions)
        c.out.line("{} {}_at[{}][{}];", c.type(at(r).type), c.name(r), rows.results, columns.results);
    c.out.line("#pragma unroll");
    c.out.open("for (int a = 0; a < {}; ++a)", rows.results);
    c.out.line("#pragma unroll");
    c.out.open("for (int b = 0; b < {}; ++b)", columns.results);
    for (int r : functions[0].reductions) c.out.line("{}_at[a][b] = {};", c.name(r), c.identity(r));
    c.out.close();
    c.out.close();
}

int product_renderer::accesses(const staged_load& l) const {
    const int size = l.side == nullptr ? 1 : l.side->size();
    return static_cast<int>(divide_up(size * depth() / (l.wide ? vector() : 1), c.s.block));
}

// Opens each of a thread's accesses to a slice, names its place there ("i" along the tile, "s" along the steps) and
// hands over its subscript.
template <class Body>
void product_renderer::each_access(const staged_load& l, Body body) {
    const int size = l.side == nullptr ? 1 : l.side->size();
    const int width = l.wide ? vector() : 1;
    const int all = size * depth() / width;
    const bool several = accesses(l) > 1;
    if (several) {
        c.out.line("#pragma unroll");
        c.out.open("for (int u = 0; u < {}; ++u)", accesses(l));
    } else {
        c.out.open("");
    }
    const std::string q = several ? "q" : "threadIdx.x";
    if (several) c.out.line("const int q = threadIdx.x + u * {};", c.s.block);
    if (all % c.s.block != 0) c.out.open("if ({} < {})", q, all);
    const int deal = (l.along_steps ? depth() : size) / width;  // accesses along what neighbouring threads share
    const std::string times = width > 1 ? fmt::format(" * {}", width) : "";
    const std::string fast = fmt::format("{} % {}{}", q, deal, times), slow = fmt::format("{} / {}", q, deal);
    if (l.side != nullptr) c.out.line("const int i = {};", l.along_steps ? slow : fast);
    c.out.line("const int s = {};", l.side == nullptr ? q : l.along_steps ? fast : slow);
    body(width, l.next + (several ? "[u]" : ""));
    if (all % c.s.block != 0) c.out.close();
    c.out.close();
}

// From memory to registers. Places past an end are moved inside: what is read there goes nowhere.
void product_renderer::fetch(const staged_load& l) {
    each_access(l, [&](int width, const std::string& next) {
        if (l.side != nullptr) {
            c.out.line("{} {} = tile_{} + i;", c.index_type(), l.side->noun, l.side->noun);
            c.out.line("if ({0} >= {1}) {0} = {1} - {2};", l.side->noun, l.side->extent, l.along_steps ? 1 : width);
        }
        c.out.line("{}{} step = k + {} + s;", c.s.product.whole ? "const " : "", c.index_type(), depth());
        if (!c.s.product.whole) c.out.line("if (step >= {0}) step = {0} - {1};", c.trips(0), l.along_steps ? width : 1);
        c.decompose(c.k.loops[0].axes, "step", {at(l.value).at});
        std::vector<int> all = axes;
        all.insert(all.end(), c.k.loops[0].axes.begin(), c.k.loops[0].axes.end());
        const std::string pointer = input_name(at(l.value).input);
        if (l.wide)
            c.out.line("{} = *reinterpret_cast<const {}*>({});", next, c.vector_type(at(l.value).type),
                       c.add_offset(pointer, at(l.value).at, all));
        else
            c.out.line("{} = {};", next, c.subscript(pointer, at(l.value).at, all));
    });
}

// From registers to shared memory.
void product_renderer::put(const staged_load& l) {
    each_access(l, [&](int width, const std::string& next) {
        const auto place = [&](const std::string& step, const std::string& element) {
            if (l.side == nullptr) return fmt::format("{}[1 - now][{}]", l.tile, step);
            if (vector() == 1) return fmt::format("{}[1 - now][{}][{}]", l.tile, step, element);
            return fmt::format("{0}[1 - now][{1}][{2} / {3}].at[{2} % {3}]", l.tile, step, element, vector());
        };
        if (width == 1) {
            c.out.line("{} = {};", place("s", "i"), next);
        } else if (!l.along_steps) {
            c.out.line("{}[1 - now][s][i / {}] = {};", l.tile, vector(), next);
        } else {
            c.out.line("#pragma unroll");
            c.out.line("for (int e = 0; e < {}; ++e) {} = {}.at[e];", width, place("s + e", "i"), next);
        }
    });
}

// One step: a thread's elements come to its registers; each of its results takes in one of a row, one of a column.
void product_renderer::fold() {
    c.out.line("#pragma unroll{}", c.s.unroll > 1 ? "" : " 1");
    c.out.open("for (int s = 0; s < {}{}; ++s)", depth(), c.s.product.whole ? "" : " && k + s < " + c.trips(0));
    for (const staged_load& l : loads) {
        if (l.side == nullptr) continue;
        const dtype d = at(l.value).type;
        const int reads = l.side->results / vector();
        c.out.line("{} {}[{}];", vector() > 1 ? c.vector_type(d) : c.type(d), l.held, reads);
        c.out.line("#pragma unroll");
        c.out.line("for (int u = 0; u < {}; ++u) {}[u] = {}[now][s][thread_{} + u * {}];", reads, l.held, l.tile,
                   l.side->noun, l.side->threads);
    }
    const auto here = [&](const tile_side& side) {
        for (int v : functions[0].outside)
            if (std::find(own.begin(), own.end(), v) != own.end() && varies(v, side))
                c.out.line("const {} {} = {}_at[{}];", c.type(at(v).type), c.name(v), c.name(v), side.counter);
    };
    c.out.line("#pragma unroll");
    c.out.open("for (int a = 0; a < {}; ++a)", rows.results);
    here(rows);
    c.out.line("#pragma unroll");
    c.out.open("for (int b = 0; b < {}; ++b)", columns.results);
    here(columns);
    const auto element = [&](int v) {
        const staged_load& l = *std::find_if(loads.begin(), loads.end(), [&](const auto& x) { return x.value == v; });
        return l.side == nullptr ? l.tile + "[now][s]" : element_of(*l.side, l.held);
    };
    const auto accumulator = [&](int r) { return c.name(r) + "_at[a][b]"; };
    c.out.line("{}", call(c, functions[0], {element, nullptr, accumulator, nullptr}));
    c.out.close();
    c.out.close();
    c.out.close();
}

void product_renderer::loop() {
    c.out.line("int now = 1;  // the slice that is computed");
    c.out.line("#pragma unroll 1");
    c.out.open("for ({0} k = -{1}; k < {2}; k += {1})", c.index_type(), depth(), c.trips(0));
    c.out.line("const bool more = k + {} < {};", depth(), c.trips(0));
    c.out.open("if (more)");
    c.out.comment("The next slice leaves memory while this one is computed.");
    for (const staged_load& l : loads) fetch(l);
    c.out.close();
    c.out.open("if (k >= 0)");
    fold();
    c.out.close();
    c.out.open("if (more)");
    c.out.comment("It takes the place of the slice before, with which all threads are done since the last barrier.");
    for (const staged_load& l : loads) put(l);
    c.out.close();
    c.out.line("__syncthreads();");
    c.out.line("now = 1 - now;");
    c.out.close();
}

void product_renderer::store_value(const kernel_store& store) {
    const dtype type = c.k.outputs[static_cast<std::size_t>(store.output)];
    const std::string cast = type == at(store.value).type ? "" : fmt::format("({})", c.type(type));
    const std::string output = output_name(store.output);
    c.out.line("{} = {}{};", c.s.product.wide_stores ? output + "_at.at[e]" : c.subscript(output, store.at, axes), cast,
               c.operand(store.value));
}

// What is stored of one result; into an element of a vector where its neighbours go with it.
void product_renderer::store_one(const std::vector<int>& computed) {
    const bool wide = c.s.product.wide_stores;
    for (int r : functions[0].reductions)
        c.out.line("const {0} {1} = {1}_at[a][b{2}];", c.type(at(r).type), c.name(r), wide ? " + e" : "");
    values(computed);
    for (const kernel_store& store : c.k.stores) store_value(store);
}

void product_renderer::store_vectors(const std::vector<int>& computed) {
    const auto type = [&](const kernel_store& store) {
        return c.vector_type(c.k.outputs[static_cast<std::size_t>(store.output)]);
    };
    for (const kernel_store& store : c.k.stores) c.out.line("{} {}_at;", type(store), output_name(store.output));
    c.out.line("#pragma unroll");
    c.out.open("for (int e = 0; e < {}; ++e)", vector());
    c.decompose({columns.axis}, "(column + e)", {});
    store_one(computed);
    c.decompose({columns.axis}, "column", {});
    c.out.close();
    for (const kernel_store& store : c.k.stores)
        c.out.line("*reinterpret_cast<{}*>({}) = {}_at;", type(store),
                   c.add_offset(output_name(store.output), store.at, c.k.outer), output_name(store.output));
}

void product_renderer::store() {
    std::vector<int> wanted, computed;
    for (const kernel_store& store : c.k.stores) wanted.push_back(store.value);
    for (int v : needed(wanted))
        if (std::find(plain.begin(), plain.end(), v) == plain.end()) computed.push_back(v);
    const bool wide = c.s.product.wide_stores;
    c.out.line("#pragma unroll");
    c.out.open("for (int a = 0; a < {}; ++a)", rows.results);
    c.out.line("const {} row = {};", c.index_type(), result(rows, "a"));
    c.out.line("#pragma unroll");
    c.out.open("for (int b = 0; b < {}; {})", columns.results, wide ? fmt::format("b += {}", vector()) : "++b");
    c.out.line("const {} column = {};", c.index_type(), result(columns, "b"));
    c.out.open("if (row < rows && column < columns)");
    if (wide)
        store_vectors(computed);
    else
        store_one(computed);
    c.out.close();
    c.out.close();
    c.out.close();
}

std::vector<element_function> render_product(context& c) {
    product_renderer product(c);
    product.place_tiles();
    product.declare();
    product.loop();
    if (c.k.nest_axis >= 0)
        product.go_over_columns();
    else
        product.store();
    return std::move(product.functions);
}

}  // namespace sinter::codegen
