// Converts graphs to programs, which partition reads.
#pragma once

#include <codegen/ir/graph.hpp>

#include <vector>

namespace sinter::codegen {

/// A graph as a program again, with the nodes' extents, axes and maps stored among the integers.
struct flat_program {
    explicit flat_program(const graph& g);
    ir::program view() const;

    std::vector<ir::node> nodes;
    std::vector<int> roots;
    std::vector<std::int64_t> integers;
};

}  // namespace sinter::codegen
