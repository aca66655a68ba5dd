// Names kernels after what they compute.
#include <codegen/lower/kernel_name.hpp>

#include <codegen/lower/names.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace sinter::codegen {
namespace {

constexpr std::size_t longest_functions = 44;  ///< with dtype and form: about 60 characters

std::string_view form_name(schedule_form form) {
    switch (form) {
        case schedule_form::elementwise: return "elementwise";
        case schedule_form::tiled: return "tiled";
        case schedule_form::stencil: return "stencil";
        case schedule_form::channels: return "channels";
        case schedule_form::windows: return "windows";
        case schedule_form::rows: return "rows";
        case schedule_form::columns: return "columns";
        case schedule_form::contraction: return "contraction";
        case schedule_form::tensor: return "tensor";
    }
    return "";
}

/// A valid CUDA C++ identifier, whatever name users gave their function.
std::string identifier(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        out += fits ? c : '_';
    }
    return out;
}

/// What a value contributes to the name; empty for values that compute nothing.
std::string function_name(const value& v) {
    switch (v.what) {
        case value_kind::elementwise:
        case value_kind::reduce: return identifier(v.op->name);
        case value_kind::scan: return "cumulative_" + identifier(v.op->name);
        case value_kind::load: return is_displaced(v) ? "take" : "";
        default: return "";
    }
}

bool is_operator(const value& v) { return v.what == value_kind::elementwise && v.op->symbol != nullptr; }

/// By value: whether it contributes to a result, rather than to the index of a gather.
std::vector<char> parts_of_results(const loop_nest& k) {
    std::vector<char> part(k.values.size(), 0);
    for (const kernel_store& s : k.stores) part[static_cast<std::size_t>(s.value)] = 1;
    for (std::size_t i = k.values.size(); i-- > 0;) {
        if (!part[i] || is_displaced(k.values[i])) continue;
        for (const int in : k.values[i].in)
            if (in >= 0) part[static_cast<std::size_t>(in)] = 1;
    }
    return part;
}

/// Each function once, at its first occurrence.
std::vector<std::string> functions_of(const loop_nest& k, bool with_operators) {
    std::vector<std::string> names;
    const std::vector<char> part = parts_of_results(k);
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        const value& v = k.values[i];
        if (!part[i] || (is_operator(v) && !with_operators)) continue;
        std::string name = function_name(v);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

std::string kernel_name(const kernel_class& c) {
    std::vector<std::string> functions = functions_of(c.body, false);
    if (functions.empty()) functions = functions_of(c.body, true);
    std::string name;
    for (const std::string& f : functions) {
        if (!name.empty() && name.size() + f.size() > longest_functions) continue;
        name += f.substr(0, longest_functions) + '_';
    }
    if (name.empty()) name = "copy_";
    return name + std::string(sinter::name(c.body.outputs.front())) + '_' + std::string(form_name(c.how.form));
}

}  // namespace sinter::codegen
