// Elementwise kernels: a block computes a run of neighbouring elements.
#include <codegen/render/access.hpp>
#include <codegen/render/forms.hpp>

namespace sinter::codegen {

namespace {

// One element by itself: "out0[i] = element(x0[i]);"
void single_element(context& c, const element_function& f) {
    c.decompose(c.k.outer, "i", layouts_of(c, f));
    access_plan plan;
    plan.axes = c.k.outer;
    plan.source = [&](int v) { return input_name(c.at(v).input); };
    const auto place = [&](int v) { return place_text(c, plan, v, ""); };
    const auto element = [&](int v) { return c.subscript(input_name(c.at(v).input), c.at(v).at, c.k.outer); };
    const auto result = [&](int st) {
        const kernel_store& store = c.k.stores[static_cast<std::size_t>(st)];
        return c.subscript(output_name(store.output), store.at, c.k.outer);
    };
    c.out.line("{}", call(c, f, {element, place, nullptr, result}));
}

void full_block(context& c, const element_function& f) {
    const access_plan plan = whole_arrays(c, c.k.outer);
    const auto position = [&](const std::vector<int>& layouts) {
        if (c.s.unroll > 1) c.out.line("const {} i = start + u * {};", c.index_type(), c.s.block * c.s.vector);
        c.decompose(c.k.outer, "i", layouts);
    };
    c.out.line("const {} {} = first + threadIdx.x{};", c.index_type(), c.s.unroll > 1 ? "start" : "i",
               c.s.vector > 1 ? fmt::format(" * {}", c.s.vector) : "");
    if (c.s.unroll == 1) position(layouts_of(c, f));
    declare_registers(c, plan, f.loads);
    if (!f.loads.empty()) {
        open_unroll(c);
        if (c.s.unroll > 1) position(load_layouts_of(c, f));
        load_lines(c, plan, f.loads);
        close_unroll(c);
    }
    open_unroll(c);
    if (c.s.unroll > 1) position(compute_layouts_of(c, f));
    compute_lines(c, plan, f, nullptr);
    close_unroll(c);
}

}  // namespace

std::vector<element_function> render_elementwise(context& c) {
    std::vector<element_function> functions{make_element_function(c, group_level, "element")};
    const element_function& f = functions[0];
    const std::string index = c.index_type();
    const std::string block_index = c.s.wide_index ? index + "(blockIdx.x)" : "blockIdx.x";
    const std::string n = c.groups();

    load_outside(c, f);
    if (c.s.vector == 1 && c.s.unroll == 1) {
        c.out.line("const {} i = {} * {} + threadIdx.x;", index, block_index, c.s.block);
        c.out.open("if (i < {})", n);
        single_element(c, f);
        c.out.close();
        return functions;
    }
    const int elements = c.s.block * c.s.vector * c.s.unroll;
    c.out.comment(
        fmt::format("A block computes {} neighbouring elements. Its threads stand side by side, so that a warp "
                    "moves neighbouring bytes together.",
                    elements));
    c.out.line("const {} first = {} * {};", index, block_index, elements);
    c.out.open("if (first + {} <= {})", elements, n);
    if (c.s.unroll > 1) c.out.comment("All loads are on their way before the first one is used.");
    full_block(c, f);
    c.out.outdent();
    c.out.open("}} else");
    c.out.comment("The last block takes what is left, element by element.");
    c.out.line("#pragma unroll 1");
    c.out.open("for ({} i = first + threadIdx.x; i < {}; i += {})", index, n, c.s.block);
    single_element(c, f);
    c.out.close();
    c.out.close();
    return functions;
}

}  // namespace sinter::codegen
