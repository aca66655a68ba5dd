// Runs the passes on one kernel's graph in order.
#include <codegen/driver/make_kernel.hpp>

#include <codegen/transforms/pass.hpp>

#include <algorithm>

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
    {"legalize", recorded<legalize_storage>}, {"unify-inputs", recorded<unify_inputs>},
    {"simplify", recorded<simplify>},         {"cse", recorded<cse>},
    {"gather-one-hot", gather_one_hot},       {"merge-reductions", merge_reductions},
    {"dce", recorded<eliminate_dead_code>},   {"open-axes", open_axes},
};

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

}  // namespace

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

}  // namespace sinter::codegen
