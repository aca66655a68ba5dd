// Checks a graph node by node. A failure is a defect of a pass, never of the user's program.
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

bool operand_count_fits(const graph_node& n) {
    int operands = 0;
    while (operands < ir::max_operands && n.in[operands] >= 0) ++operands;
    switch (n.what) {
        case ir::kind::leaf:
        case ir::kind::scalar:
        case ir::kind::iota:
        case ir::kind::constant: return operands == 0;
        case ir::kind::elementwise: return n.op && operands == n.op->arity;  // a reduction's row combines two values
        case ir::kind::reduction: return n.op && operands == 1 && n.op->is_reduction;
        case ir::kind::scan: return n.op && operands == 1 && n.op->is_reduction;
        case ir::kind::cast:
        case ir::kind::materialize:
        case ir::kind::stop_gradient:
        case ir::kind::reshape: return operands == 1;
        case ir::kind::index_map: return operands == 1 || operands == 2;
        case ir::kind::gradient: return operands == 2;
        case ir::kind::call: return n.callee && operands == n.callee->operands;
    }
    return false;
}

const char* broadcast_fault(const graph& g, const graph_node& n) {
    for (int in : n.in) {
        if (in < 0) continue;
        const graph_node& operand = g.nodes[in];
        if (operand.rank > n.rank) return "an operand has a higher rank";
        for (int a = 0; a < operand.rank; ++a) {
            const std::int64_t extent = n.shape[aligned_axis(a, n.rank, operand.rank)];
            if (operand.shape[a] != extent && operand.shape[a] != 1)
                return "an operand does not broadcast to the result";
        }
    }
    return nullptr;
}

const char* dtype_fault(const graph& g, const graph_node& n) {
    if (n.op->rule == dtype_rule::chosen)
        return g.nodes[n.in[0]].type == dtype::bool_ && moments_of(g.nodes[n.in[1]].type) == n.type
                   ? nullptr
                   : "no moments of the operand";
    const dtype compute = g.nodes[n.in[n.op->rule == dtype_rule::select ? 1 : 0]].type;
    for (int i = 0; i < n.op->arity; ++i)
        if (g.nodes[n.in[i]].type != detail::operand_of(n.op->rule, compute, i)) return "operands of different dtypes";
    // moments are of the type that computes: a storage type is only the type of the stored result
    const dtype type = n.op->rule == dtype_rule::moment ? computed_in(n.type) : n.type;
    return type == result_of(n.op->rule, compute) ? nullptr : "the result's dtype does not follow from the row's rule";
}

const char* reduction_fault(const graph& g, const graph_node& n) {
    const graph_node& operand = g.nodes[n.in[0]];
    if (accumulator_of(n.op->rule, operand.type) != n.type)
        return "the accumulator's dtype does not follow from the row's rule";
    if (n.axes >> operand.rank) return "a reduced axis is out of range";
    const int kept = operand.rank - (n.keepdims ? 0 : __builtin_popcount(n.axes));
    return kept == n.rank ? nullptr : "the rank does not follow from the reduced axes";
}

const char* scan_fault(const graph& g, const graph_node& n) {
    const graph_node& operand = g.nodes[n.in[0]];
    if (operand.type != n.type) return "a scan has another dtype than its operand";
    if (operand.rank != n.rank || operand.shape != n.shape) return "a scan has another shape than its operand";
    return n.axes != 0 && (n.axes & (n.axes - 1)) == 0 && n.axes >> n.rank == 0 ? nullptr : "a scan along no one axis";
}

const char* index_map_fault(const graph& g, const graph_node& n) {
    const graph_node& operand = g.nodes[n.in[0]];
    if (operand.type != n.type) return "a view changes the dtype";
    if (size_of_shape(n.shape, n.rank) == 0) return nullptr;
    for (int a = 0; a < operand.rank; ++a) {
        const mapped_axis& m = n.map[a];
        if (m.from == ir::from_operand) {
            if (n.in[1] < 0) return "a view has no indices to read at";
            continue;
        }
        if (m.from >= n.rank) return "a view reads along an axis that it does not have";
        const std::int64_t last = m.start + (m.from < 0 ? 0 : m.step * (n.shape[m.from] - 1));
        if (m.start < 0 || m.start >= operand.shape[a] || last < 0 || last >= operand.shape[a])
            return "a view reads beyond its operand";
    }
    return nullptr;
}

const char* call_fault(const graph& g, const graph_node& n) {
    if (n.bits >= static_cast<std::uint64_t>(n.callee->results)) return "a function has no such result";
    const call_array made = n.callee->body->result(operands_of(g, n), n.integers, static_cast<int>(n.bits));
    return made == array_of(n) ? nullptr : "a call does not give what its function's rule says";
}

const char* fault(const graph& g, std::size_t i) {
    const graph_node& n = g.nodes[i];
    for (int in : n.in)
        if (in >= static_cast<int>(i)) return "an operand comes after its user";
    if (n.rank < 0 || n.rank > ir::max_rank) return "rank out of range";
    if (!operand_count_fits(n)) return "wrong number of operands";
    switch (n.what) {
        case ir::kind::leaf: return n.argument < static_cast<int>(g.leaves.size()) ? nullptr : "no such leaf";
        case ir::kind::elementwise: {
            const char* found = broadcast_fault(g, n);
            return found ? found : dtype_fault(g, n);
        }
        case ir::kind::cast:
        case ir::kind::materialize: return broadcast_fault(g, n);
        case ir::kind::reduction: return reduction_fault(g, n);
        case ir::kind::scan: return scan_fault(g, n);
        case ir::kind::index_map: return index_map_fault(g, n);
        case ir::kind::call: return call_fault(g, n);
        default: return nullptr;
    }
}

}  // namespace

void verify(const graph& g, const char* after_pass) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (const char* what = fault(g, i))
            throw error(
                fmt::format("internal error, please report it: after pass '{}', node %{}: {}; the graph was:\n{}",
                            after_pass, i, what, print(g)));
    for (const graph_root& r : g.roots)
        if (r.node < 0 || r.node >= static_cast<int>(g.nodes.size()))
            throw error(
                fmt::format("internal error, please report it: after pass '{}' the graph has no root", after_pass));
}

}  // namespace sinter::codegen
