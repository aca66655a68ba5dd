// Runs the passes one after the other, verifies the graph between them, and keeps the record for explain().
#include <codegen/driver/pipeline.hpp>

#include <codegen/autodiff/gradient.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>
#include <codegen/transforms/flatten.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

struct graph_pass {
    const char* name;
    bool (*run)(graph&);  ///< says whether there is something to record
};

template <void (*Pass)(graph&)>
bool recorded(graph& g) {
    Pass(g);
    return true;
}

constexpr graph_pass graph_passes[] = {
    {"widen", recorded<widen>}, {"alias", recorded<alias>},  {"simplify", recorded<simplify>},
    {"cse", recorded<cse>},     {"merge", merge_reductions}, {"sweep", recorded<sweep>},
};

/// Of a graph or of a kernel.
template <class Form>
void record(std::string* trace, const char* pass, const Form& form) {
    verify(form, pass);
    if (trace) *trace += std::string("after ") + pass + ":\n" + print(form);
}

/// The step that computes a call's results. Its operands are in memory, so there is nothing to transform.
kernel make_call(const graph& part) {
    const graph_node& first = part.nodes[static_cast<std::size_t>(part.roots[0].node)];
    kernel k;
    call_site& call = k.call.emplace();
    call.callee = first.callee;
    call.integers = first.integers;
    call.operands = operands_of(part, first);
    call.results = results_of(*call.callee, call.operands, call.integers);
    for (int o = 0; o < first.callee->operands; ++o) {
        const graph_node& operand = part.nodes[static_cast<std::size_t>(first.in[static_cast<std::size_t>(o)])];
        k.inputs.push_back({operand.type, operand.argument, 0, false, array_of(operand).elements()});
    }
    for (const graph_root& r : part.roots) {
        const graph_node& n = part.nodes[static_cast<std::size_t>(r.node)];
        if (r.read_later) k.read_later |= 1u << k.outputs.size();
        call.outputs.push_back(static_cast<int>(n.bits));
        k.outputs.push_back(n.type);
        k.output_shapes.push_back({n.rank, n.shape});
        k.results.push_back(r.result);
    }
    if (std::all_of(k.results.begin(), k.results.end(), [](int r) { return r < 0; })) k.results.clear();
    return k;
}

bool is_call(const graph& part) {
    return part.nodes[static_cast<std::size_t>(part.roots[0].node)].what == ir::kind::call;
}

kernel make_kernel(graph part, std::string* trace) {
    if (is_call(part)) {
        kernel k = make_call(part);
        record(trace, "call", k);
        return k;
    }
    for (const graph_pass& pass : graph_passes)
        if (pass.run(part)) record(trace, pass.name, part);
    kernel k = loops(part);
    record(trace, "loops", k);
    collapse(k);
    record(trace, "collapse", k);
    if (narrow(k)) record(trace, "narrow", k);
    k.product = part.product;
    return k;
}

/// Joins products with their readers, unless a library takes a product but not what would become of it. Returns the
/// parts that are left without a reader.
std::vector<int> join_products(std::vector<graph>& parts, int leaves, std::string* trace,
                               const library_choice& library_takes) {
    std::vector<int> joined;
    for (int p = 0; p < static_cast<int>(parts.size()); ++p) {
        const int stored = leaves + temporaries_before(parts, p);
        const bool passed_on = parts[p].product != ir::product::none && parts[p].roots[0].result < 0;
        const int reader = passed_on ? only_reader(parts, stored) : -1;
        if (reader < 0) continue;
        std::optional<graph> both = join(parts[p], parts[reader], stored);
        if (!both) continue;
        if (library_takes && library_takes(make_kernel(parts[p], nullptr)) &&
            !library_takes(make_kernel(*both, nullptr)))
            continue;
        record(trace, "join", *both);
        parts[reader] = std::move(*both);
        parts[p].nodes.clear();  // the root still counts as a temporary
        joined.push_back(p);
    }
    return joined;
}

}  // namespace

kernel_cut cut_program(const ir::program& program, const detail::arguments_view& arguments, std::string* trace,
                       const result_strides& strides, fusion mode, const cut_cost& cost) {
    graph whole = bind(program, arguments);
    for (std::size_t r = 0; r < whole.roots.size(); ++r)
        if (strides[r] != nullptr) {
            std::copy_n(strides[r], whole.nodes[whole.roots[r].node].rank, whole.roots[r].strides.begin());
            whole.roots[r].placed = true;
        }
    record(trace, "bind", whole);
    if (!program.gradients) return choose_cut(program, arguments.integers, whole, mode, cost);
    expand_gradients(whole);
    record(trace, "differentiate", whole);
    const flat_program expanded(whole);
    // equal values are one node, and what products read is stored already
    std::vector<kernel_roots> kernels =
        kernels_of(expanded.view(), expanded.integers.data(), whole, weight::ranks, mode);
    return {std::move(whole), std::move(kernels)};
}

std::vector<kernel> make_kernels(kernel_cut cut, int leaves, std::string* trace, fusion mode,
                                 const library_choice& library_takes) {
    std::vector<graph> parts = partition(std::move(cut));
    std::vector<int> joined;
    if (mode == fusion::on) joined = join_products(parts, leaves, trace, library_takes);
    std::vector<kernel> kernels;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (std::find(joined.begin(), joined.end(), static_cast<int>(i)) != joined.end()) {
            kernels.emplace_back().outputs.resize(1);  // its place among the temporaries, until it is dropped
            continue;
        }
        record(trace, "partition", parts[i]);
        kernels.push_back(make_kernel(std::move(parts[i]), trace));
        kernel& k = kernels.back();
        if (k.product != ir::product::none && !(library_takes && library_takes(k))) k.product = ir::product::none;
    }
    for (auto p = joined.rbegin(); p != joined.rend(); ++p) drop_kernel(kernels, leaves, *p, -1);
    // Fused kernels stay as the type tells until a device is known; what is written twice is not computed twice.
    if (mode == fusion::off) unite(kernels, leaves);
    return kernels;
}

std::vector<kernel> make_kernels(const ir::program& program, const detail::arguments_view& arguments,
                                 std::string* trace) {
    return make_kernels(cut_program(program, arguments, trace), program.leaves, trace);
}

}  // namespace sinter::codegen
