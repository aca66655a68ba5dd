// Hashes of what the compiler looks up.
#pragma once

#include <codegen/ir/graph.hpp>

#include <cstddef>

namespace sinter::codegen {

/// The hash of a sequence that has the hash `before` and then `next`.
constexpr std::size_t hash_with(std::size_t before, std::size_t next) { return before * 1000003 + next; }

struct node_hash {
    std::size_t operator()(const graph_node& n) const {
        std::size_t h = static_cast<std::size_t>(n.what) * 31 + static_cast<std::size_t>(n.type);
        for (const int in : n.in) h = hash_with(h, static_cast<std::size_t>(in + 1));
        h = hash_with(h, static_cast<std::size_t>(n.argument + 1));
        h = hash_with(h, static_cast<std::size_t>(n.bits));
        h = hash_with(h, n.axes);
        h = hash_with(h, reinterpret_cast<std::size_t>(n.callee));
        return hash_with(h, reinterpret_cast<std::size_t>(n.op));
    }
};

struct graph_hash {
    std::size_t operator()(const graph& g) const {
        std::size_t h = g.nodes.size();
        for (const graph_node& n : g.nodes) h = hash_with(h, node_hash()(n));
        for (const graph_root& r : g.roots) h = hash_with(hash_with(h, static_cast<std::size_t>(r.node)), r.outer);
        return h;
    }
};

}  // namespace sinter::codegen
