// Graphs that differ only in which leaves they read have the same kernel, up to the leaves' numbers.
#include <codegen/driver/kernel_memo.hpp>

#include <codegen/driver/make_kernel.hpp>
#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/pass.hpp>

#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

/// Numbers the leaves that a graph reads in the order of its nodes, and drops all others. Returns their old numbers.
/// Leaves are unified first, as the first of equal leaves need not be among those that are read, and equal nodes are
/// merged, since cuts differ in how often they have a node.
std::vector<int> number_leaves(graph& part) {
    unify_inputs(part);
    cse(part);
    eliminate_dead_code(part);
    std::vector<int> before;
    for (graph_node& n : part.nodes)
        if (n.what == ir::kind::leaf) n.argument = find_or_insert(before, n.argument);
    std::vector<graph_leaf> read;
    for (const int leaf : before) {
        graph_leaf& l = read.emplace_back(part.leaves[static_cast<std::size_t>(leaf)]);
        l.data = nullptr;
        l.temporary = static_cast<int>(read.size()) - 1;  // keeps it apart from the others
    }
    part.leaves = std::move(read);
    return before;
}

}  // namespace

loop_nest kernel_memo::kernel_of(graph part) {
    if (is_call(part)) return make_kernel(std::move(part));
    const std::vector<int> leaves = number_leaves(part);
    auto known = made_.find(part);
    if (known == made_.end()) {
        loop_nest made = make_kernel(part);
        known = made_.emplace(std::move(part), std::move(made)).first;
    }
    loop_nest k = known->second;
    for (kernel_input& in : k.inputs) in.leaf = leaves[static_cast<std::size_t>(in.leaf)];
    return k;
}

}  // namespace sinter::codegen
