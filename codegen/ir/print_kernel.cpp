// Prints a loop nest: axes, then values in the order in which they are computed, then stores.
//
//   outer a0 = 1000, a1 = 100
//   loop 0 over a2 = 1000
//     %0 = x0 [100000 1000 1]
//     %1 = multiply %0 %0 : float64
//   %2 = sum %1 over loop 0 : float64
//   %3 = sqrt %2 : float64
//   out0 [100 1 0] = %3
//
// Values at nest_level are indented twice. Values at kernel_level come last, under "all groups", after what each block
// stores, under "each block".
#include <codegen/ir/print.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

std::string axes_text(const loop_nest& k, const std::vector<int>& axes) {
    std::string text;
    for (int a : axes) text += fmt::format("{} a{} = {}", text.empty() ? "" : ",", a, k.extents[a]);
    return text.empty() ? " no axes" : text;
}

std::string layout_text(const loop_nest& k, int at) {
    std::string text;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        text += fmt::format("{}{}", a ? " " : "", k.layouts[at].stride[a]);
    return '[' + text + ']';
}

std::string value_text(const loop_nest& k, int i) {
    const value& v = k.values[i];
    std::string text = fmt::format("%{} = ", i);
    switch (v.what) {
        case value_kind::load:
            text += fmt::format("x{} {}", v.input, layout_text(k, v.at));
            return v.in[0] < 0 ? text : text + fmt::format(" displaced by %{}", v.in[0]);
        case value_kind::index: text += fmt::format("index {}", layout_text(k, v.at)); break;
        case value_kind::scalar: text += fmt::format("s{}", v.scalar); break;
        case value_kind::constant: text += fmt::format("bits {:#x}", v.bits); break;
        case value_kind::cast: text += "cast"; break;
        case value_kind::elementwise:
        case value_kind::reduce: text += v.op->name; break;
        case value_kind::scan: text += fmt::format("running {}", v.op->name); break;
    }
    for (int in : v.in)
        if (in >= 0) text += fmt::format(" %{}", in);
    if (v.what == value_kind::reduce)
        text += is_column_fold(v)       ? " over the groups of a block"
                : v.over == group_level ? " over all groups"
                                        : fmt::format(" over loop {}", v.over);
    if (v.exclusive) text += " exclusive";
    return text + fmt::format(" : {}", name(v.type));
}

void print_stores(const loop_nest& k, int loop, const char* lead, std::string& text) {
    for (const kernel_store& s : k.stores)
        if (s.loop == loop) text += fmt::format("{}out{} {} = %{}\n", lead, s.output, layout_text(k, s.at), s.value);
}

void print_stage(const loop_nest& k, int stage, std::string& text) {
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        const value& v = k.values[i];
        if (v.stage != stage || (v.loop != group_level && v.loop != nest_level)) continue;
        text += (v.loop == nest_level ? "    " : "") + value_text(k, static_cast<int>(i)) + '\n';
    }
}

}  // namespace

std::string print(const loop_nest& k) {
    if (k.call) return expression_text(k) + '\n';
    std::string text = "outer" + axes_text(k, k.outer) + '\n';
    print_stage(k, 0, text);
    for (std::size_t l = 0; l < k.loops.size(); ++l) {
        const int loop = static_cast<int>(l);
        const bool nested = is_nested(k, loop);
        text += fmt::format("loop {} over{}", l, axes_text(k, k.loops[l].axes));
        if (k.loops[l].backwards) text += ", backwards";
        text += nested ? fmt::format(", for each of{} in the others\n", axes_text(k, {k.nest_axis})) : "\n";
        for (std::size_t i = 0; i < k.values.size(); ++i)
            if (k.values[i].loop == loop) text += "  " + value_text(k, static_cast<int>(i)) + '\n';
        print_stores(k, loop, "  ", text);
        print_stage(k, loop + 1, text);
    }
    print_stores(k, group_level, "", text);
    if (k.block_axis >= 0) text += fmt::format("each block, of{}\n", axes_text(k, {k.block_axis}));
    print_stores(k, block_level, "  ", text);
    if (!group_folds(k).empty()) text += "all groups\n";
    for (std::size_t i = 0; i < k.values.size(); ++i)
        if (k.values[i].loop == kernel_level) text += "  " + value_text(k, static_cast<int>(i)) + '\n';
    print_stores(k, kernel_level, "  ", text);
    return text;
}

}  // namespace sinter::codegen
