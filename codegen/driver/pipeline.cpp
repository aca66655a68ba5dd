// Runs the passes in order, verifies the graph after each, and records it for explain().
#include <codegen/driver/pipeline.hpp>

#include <codegen/autodiff/gradient.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>
#include <codegen/transforms/flatten.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::codegen {
namespace {

struct graph_pass {
    const char* name;
    bool (*run)(graph&);  ///< returns whether it changed anything
};

template <void (*Pass)(graph&)>
bool recorded(graph& g) {
    Pass(g);
    return true;
}

constexpr graph_pass graph_passes[] = {
    {"legalize", recorded<legalize_half>},  {"unify-inputs", recorded<unify_inputs>},
    {"simplify", recorded<simplify>},       {"cse", recorded<cse>},
    {"gather-one-hot", gather_one_hot},     {"merge-reductions", merge_reductions},
    {"dce", recorded<eliminate_dead_code>},
};

/// Verifies and records a graph or a loop nest.
template <class Form>
void record(std::string* trace, const char* pass, const Form& form) {
    verify(form, pass);
    if (trace) *trace += std::string("after ") + pass + ":\n" + print(form);
}

/// The step for a call's results. Its operands are in memory, so there is nothing to lower.
loop_nest make_call(const graph& part) {
    const graph_node& first = part.nodes[static_cast<std::size_t>(part.roots[0].node)];
    loop_nest k;
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

loop_nest make_kernel(graph part, std::string* trace) {
    if (is_call(part)) {
        loop_nest k = make_call(part);
        record(trace, "call", k);
        return k;
    }
    for (const graph_pass& pass : graph_passes)
        if (pass.run(part)) record(trace, pass.name, part);
    loop_nest k = lower_to_loops(part);
    record(trace, "lower-to-loops", k);
    coalesce_axes(k);
    record(trace, "coalesce-axes", k);
    if (narrow_index_types(k)) record(trace, "narrow-indices", k);
    k.product = part.product;
    return k;
}

/// Whether one fused kernel is predicted to be faster than two.
bool is_faster(const graph& both, const graph& first, const graph& second, const kernel_cost& seconds) {
    if (!seconds) return false;
    return seconds(make_kernel(both, nullptr)) <
           seconds(make_kernel(first, nullptr)) + seconds(make_kernel(second, nullptr));
}

/// Fuses products with the computation of their operands, where that is faster.
void join_operands(std::vector<graph>& parts, int leaves, std::string* trace, const kernel_cost& seconds,
                   operand_joins& how, std::vector<int>& joined) {
    for (int p = 0; p < static_cast<int>(parts.size()) && seconds; ++p) {
        const bool passed_on = !parts[p].roots.empty() && parts[p].roots.size() == 1 && parts[p].roots[0].result < 0;
        const int stored = leaves + temporaries_before(parts, p);
        const int reader = passed_on && !is_call(parts[p]) ? only_reader(parts, stored) : -1;
        if (reader < 0 || is_call(parts[reader])) continue;
        std::optional<graph> both = join_operand(parts[p], parts[reader], stored);
        if (!both) continue;
        if (!std::isfinite(seconds(make_kernel(*both, nullptr)))) continue;
        const int choice = how.choices++;
        const bool changed = choice < 32 && (how.changed >> choice & 1) != 0;
        if (is_faster(*both, parts[p], parts[reader], seconds) == changed) continue;
        record(trace, "fuse-epilogue", *both);
        parts[reader] = std::move(*both);
        parts[p].nodes.clear();  // the root still counts as a temporary
        joined.push_back(p);
    }
}

/// Fuses products with their readers, unless a library supports the product but not the fused kernel and is faster.
/// Returns the parts that have become unused.
std::vector<int> fuse_epilogues(std::vector<graph>& parts, int leaves, std::string* trace,
                                const library_choice& library_takes, const kernel_cost& seconds, operand_joins& how) {
    std::vector<int> joined;
    join_operands(parts, leaves, trace, seconds, how, joined);
    for (int p = 0; p < static_cast<int>(parts.size()); ++p) {
        const int stored = leaves + temporaries_before(parts, p);
        const bool passed_on = parts[p].product != ir::product::none && parts[p].roots[0].result < 0;
        const int reader = passed_on ? only_reader(parts, stored) : -1;
        if (reader < 0) continue;
        std::optional<graph> both = fuse_epilogue(parts[p], parts[reader], stored);
        if (!both) continue;
        if (library_takes && library_takes(make_kernel(parts[p], nullptr)) &&
            !library_takes(make_kernel(*both, nullptr)) && !is_faster(*both, parts[p], parts[reader], seconds))
            continue;
        record(trace, "fuse-epilogue", *both);
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
    // equal values are merged, and products' operands are materialized
    std::vector<kernel_roots> kernels =
        kernels_of(expanded.view(), expanded.integers.data(), whole, weight::ranks, mode);
    return {std::move(whole), std::move(kernels)};
}

std::vector<loop_nest> make_kernels(kernel_cut cut, int leaves, std::string* trace, fusion mode,
                                    const library_choice& library_takes, const kernel_cost& seconds,
                                    operand_joins* joins) {
    std::vector<graph> parts = partition(std::move(cut));
    std::vector<int> joined;
    operand_joins where_faster;
    if (mode == fusion::on)
        joined = fuse_epilogues(parts, leaves, trace, library_takes, seconds, joins ? *joins : where_faster);
    std::sort(joined.begin(), joined.end());
    std::vector<loop_nest> kernels;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (std::find(joined.begin(), joined.end(), static_cast<int>(i)) != joined.end()) {
            kernels.emplace_back().outputs.resize(1);  // placeholder among the temporaries until drop_kernel
            continue;
        }
        record(trace, "partition", parts[i]);
        kernels.push_back(make_kernel(std::move(parts[i]), trace));
        loop_nest& k = kernels.back();
        if (k.product != ir::product::none && !(library_takes && library_takes(k))) k.product = ir::product::none;
    }
    for (auto p = joined.rbegin(); p != joined.rend(); ++p) drop_kernel(kernels, leaves, *p, -1);
    // Fused kernels are merged later, when a device is known. Without fusion, equal kernels are merged here.
    if (mode == fusion::off) merge_identical_kernels(kernels, leaves);
    return kernels;
}

std::vector<loop_nest> make_kernels(const ir::program& program, const detail::arguments_view& arguments,
                                    std::string* trace) {
    return make_kernels(cut_program(program, arguments, trace), program.leaves, trace);
}

}  // namespace sinter::codegen
