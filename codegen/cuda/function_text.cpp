// Device functions of a program.
#include <codegen/cuda/function_text.hpp>

#include <fmt/ranges.h>

#include <vector>

namespace sinter::codegen::cuda_source {

using namespace device_ir;

std::string declared(expressions& x, const variable& v) {
    return fmt::format("{} {}", x.names.name(v.type, v.is_index), v.name);
}

std::string declared(const program& p, expressions& x, const function_parameter& f) {
    if (f.how == function_parameter::passed::pointer) {
        const array& a = p.array_at(f.of);
        return fmt::format("const {}* {}", x.names.name(a.type), a.name);
    }
    const variable& v = p.variable_at(f.of);
    if (f.how == function_parameter::passed::value) return "const " + declared(x, v);
    return fmt::format("{}& {}", x.names.name(v.type), v.name);
}

void write_function(const program& p, expressions& x, const function& f, writer& w) {
    if (!f.folds) w.comment(f.comment);
    const std::string head =
        fmt::format("static __device__ __forceinline__ {} {}", f.has_value ? x.names.name(f.type) : "void", f.name);
    std::vector<std::string> parameters;
    for (const function_parameter& one : f.parameters) parameters.push_back(declared(p, x, one));
    const std::string one_line = fmt::format("{}({})", head, fmt::join(parameters, ", "));
    if (one_line.size() <= writer::width)
        w.line("{} {{", one_line);
    else
        w.line("{}(\n    {}) {{", head, fmt::join(parameters, ",\n    "));
    w.indent();
    statements(p, x, w).write(f.body);
    if (f.has_value) w.line("return {};", x.text(f.value));
    w.close();
    if (!f.folds) w.blank();
}

}  // namespace sinter::codegen::cuda_source
