// A graph under test with its arguments: what the generator makes, the reference and the devices evaluate, and the
// shrinker simplifies.
#pragma once

#include <sinter/ir/node.hpp>
#include <tests/fuzz/known.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::fuzz {

using extents = std::array<std::int64_t, ir::max_rank>;

inline std::int64_t size_of_shape(const extents& shape, int rank) {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= shape[static_cast<std::size_t>(a)];
    return n;
}
extents row_major(const extents& shape, int rank);

/// Memory that leaves lie in.
struct buffer {
    dtype type{};
    std::vector<word> elements;
};

/// Where one array argument lies in its buffer.
struct leaf {
    int buffer = 0;
    int rank = 0;
    extents shape{}, strides{};  ///< in elements
    std::int64_t offset = 0;
    bool owned = true;  ///< the whole buffer, row-major, as the library makes arrays; else a view of foreign memory
};

/// A part of a buffer that a result is written to, as to a view on the left side of an assignment.
struct region {
    int buffer = -1;  ///< -1 for none
    extents strides{};
    std::int64_t offset = 0;
};

/// What `target` of an evaluation is, besides a leaf's position.
inline constexpr int no_target = -1, fresh_target = -2;

struct fuzz_case {
    std::uint64_t seed = 0;
    std::vector<ir::node> nodes;  ///< a directed acyclic graph
    std::vector<int> roots;       ///< the nodes that are results
    std::vector<buffer> buffers;
    std::vector<leaf> leaves;
    std::vector<word> scalars;
    std::vector<std::int64_t> integers;
    bool as_tree = false;       ///< lowered as the templates lower it, where every use of a node is a copy of it
    int target = no_target;     ///< the array that the last result may be written to,
    region into;                ///< or the place that it must be written to
    bool unfused = false;       ///< one kernel per operation
    bool reversed = false;      ///< on the emulated device: threads take turns in another order
    int device_properties = 0;  ///< and which of its machines this is for
};

/// The case as an ir::program: only what the roots need, arguments in the order in which the program meets them.
struct lowered_case {
    std::vector<ir::node> nodes;
    std::vector<int> leaves;  ///< the case's leaf of each argument
    std::vector<ir::scalar_bits> scalars;
    std::vector<std::int64_t> integers;
    std::vector<int> roots;

    ir::program program() const;
};
lowered_case lower(const fuzz_case& c);

/// Drops nodes, leaves, buffers, scalars and integers that no root needs.
void sweep(fuzz_case& c);

/// How many integers a node has among the case's.
int integer_count(const fuzz_case& c, const ir::node& n);

}  // namespace sinter::fuzz
