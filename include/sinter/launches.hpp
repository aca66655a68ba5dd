// The number of kernel launches of an expression, as a compile-time contract.
#pragma once

#include <sinter/expr.hpp>
#include <sinter/ir/partition.hpp>

namespace sinter {
namespace detail {

constexpr bool goes_along_axes(const ir::node& n) { return n.what == ir::kind::reduction || n.what == ir::kind::scan; }

/// The launch count if it is the same for every choice of run-time axes, else -1.
template <int Integers>
struct launch_counter {
    const ir::node* nodes;
    int count;
    const int* roots;
    int root_count;
    std::int64_t integers[Integers > 0 ? Integers : 1] = {};
    int agreed = 0;
    int tries = 0;

    constexpr void try_from(int i) {
        while (i < count && (!goes_along_axes(nodes[i]) || nodes[i].axes_known)) ++i;
        if (agreed < 0) return;
        if (i == count) {
            const ir::partition_result r = ir::partitioner(nodes, count, integers, false).run(roots, root_count);
            agreed = !r.known || !r.shares || ++tries > 4096 || (agreed && agreed != r.launches) ? -1 : r.launches;
            return;
        }
        const int rank = nodes[nodes[i].in[0]].rank;
        for (std::uint32_t mask = 0; mask < 1u << rank; ++mask) {
            if (static_cast<std::uint64_t>(__builtin_popcount(mask)) != nodes[i].bits) continue;
            integers[nodes[i].argument] = mask;
            try_from(i + 1);
        }
    }
};

template <class Tree>
constexpr int launches_of() {
    const auto& lowered = detail::lowered<Tree>;
    int reductions = 0;
    bool scans = false;  // whose results must be used within their loops
    bool stored = false;
    bool scattered = false;  // whether a value may be read at other indices than its kernel's groups compute
    for (int i = 0; i < lowered.count; ++i) {
        const ir::node& n = lowered.nodes[i];
        if (n.what == ir::kind::gradient) return -1;
        reductions += n.what == ir::kind::reduction;
        scans = scans || n.what == ir::kind::scan;
        stored = stored || n.what == ir::kind::materialize || n.what == ir::kind::call;
        scattered = scattered || n.what == ir::kind::reshape || (n.what == ir::kind::index_map && n.in[1] >= 0);
    }
    if (!scans && !stored && (reductions == 0 || (reductions == 1 && !scattered && lowered.root_count == 1))) return 1;
    launch_counter<Tree::size.integers> counter{lowered.nodes, lowered.count, lowered.roots, lowered.root_count};
    counter.try_from(0);
    return counter.agreed;
}

template <class E>
struct launches_constant {
    static constexpr int value = launches_of<typename E::tree_type>();
    static_assert(
        value > 0,
        "sinter: the launches of this expression depend on run-time axes or views, or on a gradient; write the axes as "
        "constants (axis=1_c), or ask explain(e).launches at run time");
};

}  // namespace detail

/// The number of kernel launches of an expression type: static_assert(launches<decltype(e)> == 1). A constant if the
/// type determines it, else a compile-time error. It is an upper bound: at run time, kernels that are identical or that
/// the schedule can merge become one, and a result without elements takes none. There is one exception: a launch that
/// is predicted to take more than twice as long as several, as a scan between reductions of one long row, is divided.
/// explain(e).launches is the actual number.
template <class E>
inline constexpr int launches = detail::launches_constant<std::remove_cvref_t<E>>::value;

}  // namespace sinter
