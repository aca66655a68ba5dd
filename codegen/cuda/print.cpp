// Prints the translation unit: heading, types, functions, signature, body.
#include <codegen/cuda/print.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/function_text.hpp>
#include <codegen/cuda/library.hpp>
#include <codegen/device/shared_memory.hpp>

#include <fmt/ranges.h>

#include <vector>

namespace sinter::codegen::cuda_source {

using namespace device_ir;

namespace {

class printer {
public:
    explicit printer(const program& of) : p(of), x(of) {}

    std::string kernel() {
        // print functions and body first: they determine the types and library functions to be declared before them
        writer folds, functions, body;
        for (const function& f : p.functions) write_function(p, x, f, f.folds ? folds : functions);
        body.indent();
        if (const shared_layout shared = shared_layout_of(p); shared.is_dynamic()) {
            body.comment("More shared memory than a block has by default; the launch requests it.");
            body.line("extern __shared__ __align__({}) unsigned char shared_memory[];", shared.alignment);
        }
        statements(p, x, body).write(p.body);
        const std::vector<std::string> parameters = signature();

        writer w;
        w.append(x.names.declarations());
        write_address_functions(w, x.used, p.wide_index);
        if (!folds.text().empty()) {
            w.comment("Combines two values of a reduction.");
            w.append(folds.text());
            w.blank();
        }
        write_block_functions(w, x.used);
        write_matrix_functions(w, x.used);
        write_pipeline_functions(w, x.used, x.box_axes);
        write_warpgroup_functions(w, x.used, x.products);
        w.append(functions.text());
        const std::string bounds = p.blocks_per_multiprocessor > 0
                                       ? fmt::format("{}, {}", p.block_threads, p.blocks_per_multiprocessor)
                                       : std::to_string(p.block_threads);
        const std::string cluster = p.cluster > 1 ? fmt::format("__cluster_dims__({}) ", p.cluster) : "";
        w.line("extern \"C\" __global__ void {}__launch_bounds__({}) {}(", cluster, bounds, p.name);
        w.line("    {})", fmt::join(parameters, ",\n    "));
        w.line("{{");
        w.append(body.text());
        w.line("}}");
        return w.take();
    }

private:
    std::vector<std::string> signature() {
        std::vector<std::string> all;
        for (const kernel_parameter& k : p.parameters) {
            switch (k.what.what) {
                case parameter::kind::workspace: all.push_back("unsigned char* " + x.array_name(k.of)); break;
                case parameter::kind::output:
                case parameter::kind::input: {
                    const array& a = p.array_at(k.of);
                    all.push_back(fmt::format("{}{}*{} {}", a.read_only ? "const " : "", x.names.name(a.type),
                                              a.may_alias ? "" : " __restrict__", a.name));
                    break;
                }
                default: all.push_back("const " + declared(x, p.variable_at(k.of)));
            }
        }
        return all;
    }

    const program& p;
    expressions x;
};

}  // namespace

std::string print(const program& p, const std::string& heading) {
    const std::string kernel = printer(p).kernel();
    writer top;
    top.comment(heading);
    top.blank();
    return top.take() + device_snippets(kernel) + kernel;
}

}  // namespace sinter::codegen::cuda_source
