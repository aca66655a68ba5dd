// Vector and single accesses.
#include <codegen/render/access.hpp>

namespace sinter::codegen {

bool is_vector_access(const context& c, const access_plan& p, int layout_position) {
    if (!p.vectored || (p.fast < 0 && p.axes.empty())) return false;
    return step_of(c.k, layout_position, p.fast < 0 ? p.axes.back() : p.fast) == step::unit;
}

access_plan whole_arrays(context& c, const std::vector<int>& axes) {
    access_plan plan;
    plan.axes = axes;
    plan.vectored = c.s.vector > 1;
    plan.source = [&c](int v) { return input_name(c.at(v).input); };
    plan.target = [&c](int st) { return output_name(c.k.stores[static_cast<std::size_t>(st)].output); };
    plan.registers = [&c](int v) { return c.name(v) + "_at"; };
    return plan;
}

void load_outside(context& c, const element_function& f) {
    for (int v : f.outside)
        if (c.at(v).what == value_kind::load)
            c.out.line("const {} {} = {}[0];", c.type(c.at(v).type), c.name(v), input_name(c.at(v).input));
}

std::string unroll_subscript(const context& c) { return c.s.unroll > 1 ? "[u]" : ""; }

void open_unroll(context& c) {
    if (c.s.unroll == 1) return;
    c.out.line("#pragma unroll");
    c.out.open("for (int u = 0; u < {}; ++u)", c.s.unroll);
}

void close_unroll(context& c) {
    if (c.s.unroll > 1) c.out.close();
}

void declare_registers(context& c, const access_plan& p, const std::vector<int>& loads, bool cleared) {
    const std::string count = c.s.unroll > 1 ? fmt::format("[{}]", c.s.unroll) : "";
    for (int v : loads) {
        const dtype d = c.at(v).type;
        const std::string type = is_vector_access(c, p, c.at(v).at) ? c.vector_type(d) : c.type(d);
        c.out.line("{} {}{}{};", type, p.registers(v), count, cleared ? " = {}" : "");
    }
}

void load_lines(context& c, const access_plan& p, const std::vector<int>& loads) {
    for (int v : loads) {
        const value& load = c.at(v);
        const std::string into = p.registers(v) + unroll_subscript(c);
        if (is_vector_access(c, p, load.at))
            c.out.line("{} = {};", into, c.vector_load(v, c.add_offset(p.source(v), load.at, p.axes)));
        else
            c.out.line("{} = {};", into, c.subscript(p.source(v), load.at, p.axes));
    }
}

std::string place_text(context& c, const access_plan& p, int v, const std::string& lane) {
    const value& self = c.at(v);
    std::vector<int> axes = p.axes;
    if (self.what == value_kind::index && axes != c.k.outer)
        axes.insert(axes.begin(), c.k.outer.begin(), c.k.outer.end());
    std::string distance = c.offset(self.at, axes);
    const step along = p.axes.empty() ? step::none : step_of(c.k, self.at, p.axes.back());
    if (!lane.empty() && along != step::none)
        distance += (distance.empty() ? "" : " + ") + lane +
                    (along == step::unit ? "" : " * " + c.stride(self.at, p.axes.back()));
    if (self.what == value_kind::index) return distance.empty() ? "0" : distance;
    return p.source(v) + (distance.empty() ? "" : " + " + distance);
}

std::string element_text(const context& c, const access_plan& p, int v) {
    if (const std::string there = p.elsewhere ? p.elsewhere(v) : ""; !there.empty()) return there;
    return p.registers(v) + unroll_subscript(c) + (is_vector_access(c, p, c.at(v).at) ? ".at[e]" : "");
}

void compute_lines(context& c, const access_plan& p, const element_function& f,
                   const std::function<std::string(int)>& accumulator) {
    const auto store_of = [&](int st) -> const kernel_store& { return c.k.stores[static_cast<std::size_t>(st)]; };
    const auto output_type = [&](int st) { return c.k.outputs[static_cast<std::size_t>(store_of(st).output)]; };
    const auto element = [&](int v) { return element_text(c, p, v); };
    if (!p.vectored) {
        const auto result = [&](int st) { return c.subscript(p.target(st), store_of(st).at, p.axes); };
        const auto place = [&](int v) { return place_text(c, p, v, ""); };
        c.out.line("{}", call(c, f, {element, place, accumulator, result, p.running}));
        return;
    }
    const auto local = [&](int st) { return "out" + std::to_string(store_of(st).output) + "_at"; };
    for (int st : f.stores) c.out.line("{} {};", c.vector_type(output_type(st)), local(st));
    c.out.line("#pragma unroll");
    c.out.open("for (int e = 0; e < {}; ++e)", c.s.vector);
    const auto place = [&](int v) { return place_text(c, p, v, "e"); };
    const auto result = [&](int st) { return local(st) + ".at[e]"; };
    c.out.line("{}", call(c, f, {element, place, accumulator, result, p.running}));
    c.out.close();
    for (int st : f.stores)
        c.out.line("*reinterpret_cast<{}*>({}) = {};", c.vector_type(output_type(st)),
                   c.add_offset(p.target(st), store_of(st).at, p.axes), local(st));
}

std::vector<int> outer_axes_beside(const kernel& k, int one, int other) {
    std::vector<int> axes;
    for (int axis : k.outer)
        if (axis != one && axis != other) axes.push_back(axis);
    return axes;
}

void place_beside(context& c, const std::vector<int>& axes, const std::string& position, const element_function& f) {
    if (axes.empty()) return;
    const std::string others = axes.size() == 1 ? fmt::format("i{}", axes[0]) : "others";
    c.out.line("const {} {} = {};", c.index_type(), others, position);
    c.decompose(axes, others, layouts_of(c, f));
}

std::vector<int> load_layouts_of(const context& c, const element_function& f) {
    std::vector<int> layouts;
    for (int v : f.loads) layouts.push_back(c.at(v).at);
    return layouts;
}

std::vector<int> compute_layouts_of(const context& c, const element_function& f) {
    std::vector<int> layouts;
    for (int v : f.places) layouts.push_back(c.at(v).at);
    for (int st : f.stores) layouts.push_back(c.k.stores[static_cast<std::size_t>(st)].at);
    return layouts;
}

std::vector<int> layouts_of(const context& c, const element_function& f) {
    std::vector<int> layouts = load_layouts_of(c, f);
    for (int layout : compute_layouts_of(c, f)) layouts.push_back(layout);
    return layouts;
}

}  // namespace sinter::codegen
