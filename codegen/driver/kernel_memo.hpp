// The kernels that the search for a cut has made: its cuts share most of them, so each is made once.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/hash.hpp>
#include <codegen/ir/loop_nest.hpp>

#include <unordered_map>

namespace sinter::codegen {

/// Of one program: leaves are told apart by their numbers, whatever their addresses.
class kernel_memo {
public:
    /// What make_kernel returns for a graph.
    loop_nest kernel_of(graph part);

private:
    std::unordered_map<graph, loop_nest, graph_hash> made_;
};

}  // namespace sinter::codegen
