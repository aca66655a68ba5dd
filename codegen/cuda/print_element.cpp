// Prints element functions.
#include <codegen/cuda/print_element.hpp>

#include <codegen/cuda/function_text.hpp>
#include <codegen/cuda/library.hpp>
#include <codegen/cuda/literal.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/lower/names.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace cuda_source {
namespace {

using namespace device_ir;

bool is_argument(const parameter& p) { return p.what != parameter::kind::position && p.what != parameter::kind::given; }

class element_printer {
public:
    element_printer(const program& of, const std::string& name) : p(of), x(of), name_(name) {}

    printed_element print(const std::string& heading) {
        writer folds, functions, body;
        for (const function& f : p.functions) write_function(p, x, f, f.folds ? folds : functions);
        write_struct(body);
        writer inside;
        inside.append(x.names.declarations());
        write_address_functions(inside, x.used, p.wide_index);
        inside.append(folds.text());
        inside.append(functions.text());
        inside.append(body.text());
        writer top;
        top.comment(heading);
        top.line("namespace {} {{", name_);
        top.append(inside.text());
        top.line("}}");
        made_.declarations = top.take();
        made_.type = name_ + "::elements";
        made_.arguments += "}";
        return std::move(made_);
    }

private:
    /// A type of the namespace's, as the kernel's signature names it.
    std::string outside(const std::string& type, dtype of) const {
        return *type_alias(of) != '\0' && type == type_name(of) ? name_ + "::" + type : type;
    }

    void add_member(writer& w, const kernel_parameter& k) {
        const parameter::kind kind = k.what.what;
        std::string type, member, of_kernel;
        if (kind == parameter::kind::output || kind == parameter::kind::input) {
            const array& a = p.array_at(k.of);
            const std::string constant = a.read_only ? "const " : "";
            type = constant + x.names.name(a.type) + "*";
            of_kernel = constant + outside(x.names.name(a.type), a.type) + "*";
            member = a.name;
        } else {
            const variable& v = p.variable_at(k.of);
            type = x.names.name(v.type, v.is_index);
            of_kernel = "const " + outside(type, v.type);
            member = v.name;
        }
        w.line("{} {};", type, member);
        const std::string parameter = name_ + "_" + member;
        made_.parameters += of_kernel + " " + parameter + ",\n    ";
        made_.arguments += (made_.values.empty() ? "" : ", ") + parameter;
        made_.values.push_back(k.what);
    }

    /// The name of the parameter of this kind; empty if the program does not use it.
    std::string name_of(parameter::kind kind) const {
        for (const kernel_parameter& k : p.parameters)
            if (k.what.what == kind) return p.variable_at(k.of).name;
        return "";
    }

    void write_struct(writer& w) {
        w.line("struct elements {{");
        w.indent();
        for (const kernel_parameter& k : p.parameters)
            if (is_argument(k.what)) add_member(w, k);
        const std::string position = name_of(parameter::kind::position);
        const std::string at = position.empty() ? "const long long" : "const long long at";
        if (p.result != none) {
            w.open("__device__ __forceinline__ {} operator[]({}) const", x.names.name(p.variable_at(p.result).type),
                   at);
        } else {
            const auto given = std::find_if(p.parameters.begin(), p.parameters.end(), [](const kernel_parameter& k) {
                return k.what.what == parameter::kind::given;
            });
            w.open("__device__ __forceinline__ void store({}, const {}) const", at,
                   declared(x, p.variable_at(given->of)));
        }
        const dtype index = p.wide_index ? dtype::int64 : dtype::int32;
        if (!position.empty()) w.line("const {0} {1} = {0}(at);", x.names.index_name(index), position);
        statements(p, x, w).write(p.body);
        if (p.result != none) w.line("return {};", p.variable_at(p.result).name);
        w.close();
        w.outdent();
        w.line("}};");
    }

    const program& p;
    expressions x;
    const std::string name_;
    printed_element made_{{}, {}, {}, "{", {}};
};

}  // namespace
}  // namespace cuda_source

std::string with_function(std::string text, std::string_view parameter, const printed_element& function,
                          std::string_view type) {
    const std::size_t at = text.find(parameter, text.find("extern \"C\""));
    const std::string_view declared = parameter.substr(0, parameter.find(','));
    const std::string_view name = declared.substr(declared.rfind(' ') + 1);
    const std::string_view opening = "\n{\n";
    text.insert(text.find(opening, at) + opening.size(),
                fmt::format("    const {} {} = {};\n", type.empty() ? function.type : type, name, function.arguments));
    text.replace(at, parameter.size(), function.parameters);
    return function.declarations + '\n' + text;
}

printed_element print_element(const kernel_class& c, int given, const std::string& name, const std::string& heading) {
    return cuda_source::element_printer(lower::lower_element(c, given), name).print(heading);
}

}  // namespace sinter::codegen
