// Runs the passes one after the other, verifies the graph between them, and keeps the record for explain().
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>
#include <codegen/pass/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

struct graph_pass {
    const char* name;
    void (*run)(graph&);
};

constexpr graph_pass graph_passes[] = {
    {"widen", widen}, {"alias", alias}, {"simplify", simplify}, {"cse", cse}, {"sweep", sweep},
};

/// Of a graph or of a kernel.
template <class Form>
void record(std::string* trace, const char* pass, const Form& form) {
    verify(form, pass);
    if (trace) *trace += std::string("after ") + pass + ":\n" + print(form);
}

}  // namespace

std::vector<kernel> make_kernels(const ir::program& program, const detail::arguments_view& arguments,
                                 std::string* trace, const result_strides& strides, fusion mode) {
    graph whole = bind(program, arguments);
    for (std::size_t r = 0; r < whole.roots.size(); ++r)
        if (strides[r] != nullptr)
            std::copy_n(strides[r], whole.nodes[whole.roots[r].node].rank, whole.roots[r].strides.begin());
    record(trace, "bind", whole);
    std::vector<kernel> kernels;
    for (graph& part : partition(program, arguments.integers, whole, mode)) {
        record(trace, "partition", part);
        for (const graph_pass& pass : graph_passes) {
            pass.run(part);
            record(trace, pass.name, part);
        }
        kernel k = loops(part);
        record(trace, "loops", k);
        collapse(k);
        record(trace, "collapse", k);
        kernels.push_back(std::move(k));
    }
    // Fused kernels stay as the type tells until a device is known; what is written twice is not computed twice.
    if (mode == fusion::off) unite(kernels, program.leaves, result_kernels(program, mode));
    return kernels;
}

}  // namespace sinter::codegen
