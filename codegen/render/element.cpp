// One SSA value a line, in the order of the kernel's values.
#include <codegen/render/element.hpp>

#include <fmt/ranges.h>

#include <algorithm>

namespace sinter::codegen {

namespace {

bool computed_in(const context& c, int v, int loop) {
    const value& self = c.at(v);
    if (is_displaced(self)) return is_placed(c.k, v, loop);
    return self.loop == loop && (self.what == value_kind::elementwise || self.what == value_kind::cast);
}

// Values by number: what the function's results need, as far as the function computes it.
class body {
public:
    body(const context& shared, int loop, const std::vector<int>& results)
        : c(shared), loop_(loop), used_(shared.k.values.size(), 0) {
        for (int v : results) used_[static_cast<std::size_t>(v)] = 1;
        for (int v = static_cast<int>(used_.size()); v-- > 0;)
            if (computes(v))
                for (int operand : c.at(v).in)
                    if (operand >= 0) used_[static_cast<std::size_t>(operand)] = 1;
    }

    bool computes(int v) const { return used_[static_cast<std::size_t>(v)] != 0 && computed_in(c, v, loop_); }

    // What the function needs from outside, in the order of the values.
    void gather(element_function& f) const {
        for (int v = 0; v < static_cast<int>(used_.size()); ++v) {
            if (used_[static_cast<std::size_t>(v)] == 0) continue;
            if (is_placed(c.k, v, loop_)) f.places.push_back(v);
            if (is_placed(c.k, v, loop_) || computes(v) || c.at(v).what == value_kind::constant) continue;
            (c.at(v).what == value_kind::scan ? f.scans : is_element_load(c.k, v) ? f.loads : f.outside).push_back(v);
        }
    }

    void write(context& types, writer& w) const {
        for (int v = 0; v < static_cast<int>(used_.size()); ++v)
            if (computes(v) && is_displaced(c.at(v)))
                w.line("const {0} {1} = {1}_from[{2}];", types.type(c.at(v).type), c.name(v), c.operand(c.at(v).in[0]));
            else if (computes(v))
                w.line("const {} {} = {};", types.type(c.at(v).type), c.name(v), types.expression(v));
    }

private:
    const context& c;
    int loop_;
    std::vector<char> used_;
};

std::string joined(const std::string& head, const std::vector<std::string>& parts, const std::string& tail) {
    const std::string one_line = fmt::format("{}({}){}", head, fmt::join(parts, ", "), tail);
    if (one_line.size() <= writer::width) return one_line;
    return fmt::format("{}(\n    {}){}", head, fmt::join(parts, ",\n    "), tail);
}

void add_operands(context& c, const element_function& f, std::vector<std::string>& parts) {
    for (const std::vector<int>* values : {&f.loads, &f.scans, &f.places, &f.outside})
        for (int v : *values) {
            const bool displaced = values == &f.places && is_displaced(c.at(v));
            parts.push_back(fmt::format("const {}{} {}{}", c.type(c.at(v).type), displaced ? "*" : "", c.name(v),
                                        displaced ? "_from" : ""));
        }
}

}  // namespace

element_function make_element_function(context& c, int loop, const std::string& name) {
    element_function f;
    f.name = name;
    if (loop != group_level) f.reductions = c.k.loops[static_cast<std::size_t>(loop)].reductions;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        if (c.k.stores[static_cast<std::size_t>(st)].loop == loop) f.stores.push_back(st);
    f.returns = f.reductions.empty() && f.stores.size() == 1;
    std::vector<int> results;
    for (int r : f.reductions) results.push_back(c.at(r).in[0]);
    for (int st : f.stores) results.push_back(c.k.stores[static_cast<std::size_t>(st)].value);
    const body computed(c, loop, results);
    computed.gather(f);

    const auto output_type = [&](int st) {
        const auto output = static_cast<std::size_t>(c.k.stores[static_cast<std::size_t>(st)].output);
        return c.type(c.k.outputs[output]);
    };
    std::vector<std::string> parts;
    for (int r : f.reductions) parts.push_back(fmt::format("{}& {}", c.type(c.at(r).type), c.name(r)));
    if (!f.returns)
        for (int st : f.stores)
            parts.push_back(fmt::format("{}& out{}", output_type(st), c.k.stores[static_cast<std::size_t>(st)].output));
    add_operands(c, f, parts);

    writer w;
    const std::string result = f.returns ? output_type(f.stores[0]) : "void";
    w.line("{} {{", joined(fmt::format("static __device__ __forceinline__ {} {}", result, name), parts, ""));
    w.indent();
    computed.write(c, w);
    for (int r : f.reductions) {
        const int in = c.at(r).in[0];
        w.line("{} = {};", c.name(r), c.combine(r, c.name(r), c.operand(in), c.at(in).type));
    }
    for (int st : f.stores) {
        const kernel_store& store = c.k.stores[static_cast<std::size_t>(st)];
        const bool converts = c.at(store.value).type != c.k.outputs[static_cast<std::size_t>(store.output)];
        const std::string stored =
            converts ? fmt::format("({}){}", output_type(st), c.operand(store.value)) : c.operand(store.value);
        if (f.returns)
            w.line("return {};", stored);
        else
            w.line("out{} = {};", store.output, stored);
    }
    w.close();
    f.definition = w.take();
    return f;
}

element_function make_scanned_function(context& c, int scan, const std::string& name) {
    element_function f;
    f.scanned = scan;
    f.returns = true;
    const int operand = c.at(scan).in[0];
    const body computed(c, c.at(scan).loop, {operand});
    computed.gather(f);
    if (!computed.computes(operand)) return f;
    f.name = name;
    std::vector<std::string> parts;
    add_operands(c, f, parts);
    writer w;
    const std::string head = fmt::format("static __device__ __forceinline__ {} {}", c.type(c.at(operand).type), name);
    w.line("{} {{", joined(head, parts, ""));
    w.indent();
    computed.write(c, w);
    w.line("return {};", c.operand(operand));
    w.close();
    f.definition = w.take();
    return f;
}

std::string call(const context& c, const element_function& f, const call_spelling& spelled) {
    std::vector<std::string> parts;
    for (int r : f.reductions) parts.push_back(spelled.accumulator(r));
    if (!f.returns)
        for (int st : f.stores) parts.push_back(spelled.result(st));
    for (int v : f.loads) parts.push_back(spelled.element(v));
    for (int v : f.scans) parts.push_back(spelled.running(v));
    for (int v : f.places) parts.push_back(spelled.place(v));
    for (int v : f.outside) parts.push_back(c.own(v));
    const std::string text = fmt::format("{}({})", f.name, fmt::join(parts, ", "));
    if (f.scanned >= 0) {
        const std::string operand = parts.empty() ? c.operand(c.at(f.scanned).in[0]) : parts[0];
        return fmt::format("{} = {};", spelled.result(f.scanned), f.name.empty() ? operand : text);
    }
    return f.returns ? spelled.result(f.stores[0]) + " = " + text + ";" : text + ";";
}

}  // namespace sinter::codegen
