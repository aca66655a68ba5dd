// Links source and values by name: the source names a value by its operation and number, multiply_1, and an input x0.
#include <codegen/explain/source_map.hpp>
#include <codegen/explain/words.hpp>
#include <codegen/ir/identifier.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/lower/names.hpp>

#include <fmt/format.h>

#include <string_view>

namespace sinter::codegen {
namespace {

/// Whether a word of the source is the name, or the name with a suffix: sum_2 and sum_2_parts.
bool is_called(std::string_view word, const std::string& name) {
    return !name.empty() && word.substr(0, name.size()) == name &&
           (word.size() == name.size() || word[name.size()] == '_');
}

/// The last value in evaluation order that a line names, or -1.
int value_named_in(std::string_view line, const std::vector<std::string>& names) {
    int found = -1;
    for (std::size_t at = 0; at < line.size();) {
        std::size_t end = at;
        while (end < line.size() && in_identifier(line[end])) ++end;
        for (int v = static_cast<int>(names.size()) - 1; v > found; --v)
            if (is_called(line.substr(at, end - at), names[static_cast<std::size_t>(v)])) found = v;
        at = end + 1;
    }
    return found;
}

std::string label_of(const loop_nest& k, const value& v) {
    switch (v.what) {
        case value_kind::load: return fmt::format("x{}", v.input);
        case value_kind::scalar: return fmt::format("number a{}", v.scalar);
        case value_kind::constant: return "constant";
        case value_kind::cast: return fmt::format("to {}", name(v.type));
        case value_kind::index: return "index";
        case value_kind::reduce:
            return fmt::format(
                "{} of {}", v.op->name,
                v.over == group_level ? outer_size(k) : trip_count(k, k.loops[static_cast<std::size_t>(v.over)]));
        case value_kind::scan: return fmt::format("{} up to each", v.op->name);
        case value_kind::elementwise: break;
    }
    return v.op->symbol ? fmt::format("{} {}", v.op->name, v.op->symbol) : v.op->name;
}

}  // namespace

std::vector<tree_node> values_of(const loop_nest& k) {
    std::vector<tree_node> all;
    for (const value& v : k.values) {
        tree_node n{label_of(k, v), name(v.type), {}};
        for (const int in : v.in)
            if (in >= 0) n.operands.push_back(in);
        all.push_back(std::move(n));
    }
    for (const kernel_store& s : k.stores) {
        const auto o = static_cast<std::size_t>(s.output);
        all.push_back({fmt::format("store out{}", s.output),
                       fmt::format("{} {}", name(k.outputs[o]),
                                   shape_text(k.output_shapes[o].shape.data(), k.output_shapes[o].rank)),
                       {s.value}});
    }
    return all;
}

std::vector<int> source_map_of(const loop_nest& k, const std::string& text) {
    std::vector<std::string> names;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) names.push_back(value_name(k, v));
    for (const kernel_store& s : k.stores) names.push_back(output_name(s.output));
    std::vector<int> links;
    int latest = static_cast<int>(k.values.size());
    for (const std::string_view line : lines_of(text)) {
        if (const int found = value_named_in(line.substr(0, line.find("//")), names); found >= 0) latest = found;
        links.push_back(latest);
    }
    return links;
}

std::vector<tree_node> nodes_of(const graph& g) {
    std::vector<tree_node> all;
    for (const graph_node& n : g.nodes) {
        tree_node shown{label(n), fmt::format("{} {}", name(n.type), shape_text(n.shape.data(), n.rank)), {}};
        for (const int in : n.in)
            if (in >= 0) shown.operands.push_back(in);
        all.push_back(std::move(shown));
    }
    return all;
}

}  // namespace sinter::codegen
