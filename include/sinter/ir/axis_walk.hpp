// Tracks where each node is read along a kernel's axes, from the kernel's root down: partition's queries about views,
// broadcasting and reductions.
#pragma once

#include <sinter/ir/node.hpp>

namespace sinter::ir {

/// The set of a reduction's axes, known in the node or given by its integers.
constexpr std::uint32_t reduced_axes(const node& n, const std::int64_t* integers) {
    return n.axes_known ? n.axes : static_cast<std::uint32_t>(integers[n.argument]);
}

/// Whether a reduction of a reduction has the shape of a single reduction over both sets of axes.
constexpr bool folds_as_one(std::uint32_t outer, bool outer_keepdims, std::uint32_t inner, bool inner_keepdims) {
    return inner_keepdims ? outer_keepdims || (inner & ~outer) == 0 : !outer_keepdims;
}

/// Base class of partitioner.
class axis_walk {
protected:
    constexpr axis_walk(const node* nodes, const std::int64_t* integers, bool maps_known)
        : nodes_(nodes), integers_(integers), maps_known_(maps_known) {}

    static constexpr int unvarying = -1;
    static constexpr int scattered = -2;  ///< gathered: read at computed indices
    static constexpr int last_id = 63;
    /// How a node axis maps to a kernel axis: elementwise and whole, elementwise but perhaps not to its end, or other.
    enum class along : std::uint8_t { whole, beginning, other };
    struct axis_ids {
        int id[max_rank] = {};  ///< the kernel axis that each node axis maps to
        along how[max_rank] = {};
    };
    /// A reduction within a kernel, including the reductions that are folded into it.
    struct fold {
        int operand = -1;             ///< operand of the innermost reduction
        axis_ids at{};                ///< where the operand is read
        std::uint64_t kept = 0;       ///< kernel axes that are kept
        std::uint64_t folded = 0;     ///< kernel axes of the loop it opens
        std::uint32_t kept_axes = 0;  ///< operand axes that are kept
        bool anywhere = false;        ///< its results are gathered
    };

    static constexpr std::uint64_t bit(int id) { return std::uint64_t{1} << id; }
    static constexpr std::uint32_t all_axes(int rank) { return (1u << rank) - 1; }

    /// Where operand `o` of a node is read if the node is computed at `at`.
    constexpr axis_ids operand_ids(const node& n, int o, const axis_ids& at) const {
        const int in = n.in[o], rank = nodes_[in].rank;
        axis_ids inner{};
        for (int a = 0; a < rank; ++a) {
            if (n.what == kind::index_map && o == 0) {
                const auto from = maps_known_ ? integers_[n.argument + 3 * a] : from_operand;
                inner.id[a] = from == from_operand ? scattered : from < 0 ? unvarying : at.id[from];
                const bool begins =
                    maps_known_ && integers_[n.argument + 3 * a + 1] == 0 && integers_[n.argument + 3 * a + 2] == 1;
                inner.how[a] = from >= 0 && begins && at.how[from] != along::other ? along::beginning : along::other;
            } else if (n.what == kind::reshape) {
                inner.id[a] = scattered;
            } else {
                inner.id[a] = at.id[a + n.rank - rank];
                inner.how[a] = at.how[a + n.rank - rank];
            }
        }
        return inner;
    }

    /// The nested reduction that is folded into this one, or -1.
    constexpr int folded_with(const node& n) const {
        const int in = n.in[0];
        const node& inner = nodes_[in];
        if (inner.what != kind::reduction || readers_[in] != 1) return -1;
        const bool same = inner.op == n.op && inner.type == n.type && nodes_[inner.in[0]].type == n.type;
        const bool as_one =
            folds_as_one(reduced_axes(n, integers_), n.keepdims, reduced_axes(inner, integers_), inner.keepdims);
        return same && as_one ? in : -1;
    }

    constexpr fold fold_of(int i, const axis_ids& at) {
        fold f;
        f.at = at;
        for (int r = i; r >= 0; r = folded_with(nodes_[r])) {
            const node& n = nodes_[r];
            const int rank = nodes_[n.in[0]].rank;
            const std::uint32_t mask = reduced_axes(n, integers_);
            axis_ids inner{};
            for (int a = 0, out = 0; a < rank; ++a) {
                if (mask >> a & 1) {
                    inner.id[a] = fresh_ < last_id ? fresh_++ : last_id;
                    f.folded |= bit(inner.id[a]);
                    if (n.keepdims) ++out;
                } else {
                    inner.how[a] = f.at.how[out];
                    inner.id[a] = f.at.id[out++];
                }
            }
            f.at = inner;
            f.operand = n.in[0];
        }
        for (int a = 0; a < nodes_[f.operand].rank; ++a) {
            const int id = f.at.id[a];
            f.anywhere = f.anywhere || id == scattered;
            if (id >= 0 && (f.folded >> id & 1)) continue;
            if (id >= 0) f.kept |= bit(id);
            f.kept_axes |= 1u << a;
        }
        return f;
    }

    const node* nodes_;
    const std::int64_t* integers_;
    bool maps_known_;
    int readers_[max_nodes];  ///< readers (nodes and roots) per node; unset beyond the program's nodes
    int fresh_ = 0;           ///< the next loop axis id
};

}  // namespace sinter::ir
