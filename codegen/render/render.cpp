// The whole translation unit: heading, types, functions, signature, body.
#include <codegen/render/render.hpp>

#include <codegen/cuda/literal.hpp>
#include <codegen/cuda/number_text.hpp>
#include <codegen/cuda/print.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/render/context.hpp>
#include <codegen/render/forms.hpp>

#include <fmt/ranges.h>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr const char* entry_name = "sinter_kernel";

struct signature {
    std::vector<std::string> declarations;
    std::vector<parameter> parameters;
};

signature make_signature(context& c) {
    signature all;
    const bool in_place =
        std::any_of(c.k.inputs.begin(), c.k.inputs.end(), [](const kernel_input& i) { return i.may_alias_output; });
    for (std::size_t o = 0; o < c.k.outputs.size(); ++o) {
        all.declarations.push_back(
            fmt::format("{}*{} out{}", c.type(c.k.outputs[o]), in_place ? "" : " __restrict__", o));
        all.parameters.push_back({parameter::kind::output, static_cast<int>(o), 0});
    }
    for (std::size_t i = 0; i < c.k.inputs.size(); ++i) {
        if (!c.reads(static_cast<int>(i))) continue;
        const bool alias = c.k.inputs[i].may_alias_output;
        all.declarations.push_back(
            fmt::format("const {}*{} x{}", c.type(c.k.inputs[i].type), alias ? "" : " __restrict__", i));
        all.parameters.push_back({parameter::kind::input, static_cast<int>(i), 0});
    }
    for (std::size_t a = 0; a < c.k.scalars.size(); ++a) {
        all.declarations.push_back(fmt::format("const {} s{}", c.type(c.k.scalar_types[a]), a));
        all.parameters.push_back({parameter::kind::scalar, static_cast<int>(a), 0});
    }
    for (const auto& [key, name] : c.parameters()) {
        const auto what = static_cast<parameter::kind>(key[0]);
        all.parameters.push_back({what, key[1], key[2]});
        if (what == parameter::kind::workspace)
            all.declarations.push_back("unsigned char* " + name);
        else if (what == parameter::kind::shift)
            all.declarations.push_back("const int " + name);
        else if (what == parameter::kind::extent || what == parameter::kind::multiplier)
            all.declarations.push_back(fmt::format("const {} {}", c.division_type(), name));
        else
            all.declarations.push_back(fmt::format("const {} {}", c.index_type(), name));
    }
    return all;
}

std::vector<element_function> render_form(context& c) {
    switch (c.s.form) {
        default: return render_product(c);
    }
}

void write_types(writer& w, context& c) {
    for (dtype d : c.aliases()) w.line("{}", type_alias(d));
    if (!c.aliases().empty()) w.blank();
    if (c.vectors().empty()) return;
    w.comment("Neighbours that one access moves.");
    for (const auto& [d, count] : c.vectors()) {
        const std::size_t bytes = size_of(d) * static_cast<std::size_t>(count);
        w.line("struct alignas({}) {} {{ {} at[{}]; }};", std::min<std::size_t>(bytes, 16), c.vector_type(d, count),
               c.type(d), count);
    }
    w.blank();
}

}  // namespace

rendered render(const kernel_class& of, const std::string& heading) {
    const kernel& k = of.body;
    const schedule& s = of.how;
    if (s.form != schedule_form::product) {
        const device::program p = lower::lower(of);
        rendered result;
        result.text = cuda::print(p, (heading.empty() ? "" : heading + "\n\n") + describe_class(s));
        result.entry = cuda::entry_name;
        for (const device::kernel_parameter& one : p.parameters) result.parameters.push_back(one.what);
        return result;
    }
    context c(of);
    c.out.indent();
    const std::vector<element_function> functions = render_form(c);
    const signature shape = make_signature(c);

    writer w;
    write_types(w, c);
    if (c.divides()) {
        const std::string t = c.division_type();
        w.comment(
            "i / extent. The launch brings what makes a multiplication of it (Granlund and Montgomery, Division by "
            "invariant integers using multiplication, 1994).");
        w.line("static __device__ __forceinline__ {0} quotient(const {0} i, const {0} multiplier, const int shift) {{",
               t);
        w.line("    return (__umul{}hi(i, multiplier) + i) >> shift;", s.wide_index ? "64" : "");
        w.line("}}");
        w.blank();
    }
    if (c.reads_once()) {
        w.comment("16 bytes that nobody reads again: the caches may forget them first.");
        w.line("template <class T>");
        w.line("static __device__ __forceinline__ T read_once(const T* from) {{");
        w.line("    return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const uint4*>(from)));");
        w.line("}}");
        w.blank();
    }
    if (!c.combiners().empty()) {
        w.comment("How a reduction folds two values.");
        w.append(c.combiners());
        w.blank();
    }
    for (const element_function& f : functions) {
        w.comment(f.scanned >= 0 ? "What " + c.name(f.scanned) + " runs along, at one element."
                  : !f.reductions.empty()
                      ? "One element of loop " + f.name.substr(5) + ", folded into what has been seen so far."
                  : k.loops.empty() ? "The expression at one element."
                                    : "One element of the result.");
        w.append(f.definition);
        w.blank();
    }
    const std::string bounds = s.blocks_per_multiprocessor > 0
                                   ? fmt::format("{}, {}", s.block, s.blocks_per_multiprocessor)
                                   : std::to_string(s.block);
    const std::string cluster = s.cluster > 1 ? fmt::format("__cluster_dims__({}) ", s.cluster) : "";
    w.line("extern \"C\" __global__ void {}__launch_bounds__({}) {}(", cluster, bounds, entry_name);
    w.line("    {})", fmt::join(shape.declarations, ",\n    "));
    w.line("{{");
    w.append(c.out.text());
    w.line("}}");

    const std::string kernel = w.take();
    writer top;
    if (!heading.empty()) {
        top.comment(heading);
        top.comment("");
    }
    top.comment(describe_class(s));
    top.blank();

    rendered result;
    result.text = top.take() + number_text(kernel) + kernel;
    result.entry = entry_name;
    result.parameters = shape.parameters;
    return result;
}

}  // namespace sinter::codegen
