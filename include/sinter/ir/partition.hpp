// Which reductions need a launch of their own. The C++ compiler runs this for launches<E> and the code generator runs
// it for real, so the two cannot disagree.
//
// A kernel gives every point of its outer axes to one group of threads. A reduction can be part of the kernel exactly
// if each group can compute the results it needs by itself: if the axes that the reduction keeps are the kernel's outer
// axes. The first reduction met from the root decides the outer axes; one that keeps others is materialised: it becomes
// the root of an earlier kernel, and the present one loads its result.
#pragma once

#include <sinter/ir/node.hpp>

namespace sinter::ir {

struct partition_result {
    bool known = true;  ///< false: it hangs on integers that were not given
    int launches = 1;
    bool materialised[max_nodes] = {};    ///< the nodes that earlier kernels store
    int roots[max_nodes] = {};            ///< what each kernel stores; the expression's own root first
    std::uint32_t outer[max_nodes] = {};  ///< of each kernel: the axes of its root that are outer axes
};

/// A set of a reduction's axes, known or among the integers.
constexpr std::uint32_t reduced_axes(const node& n, const std::int64_t* integers) {
    return n.axes_known ? n.axes : static_cast<std::uint32_t>(integers[n.argument]);
}

class partitioner {
public:
    /// `integers` holds the program's integers; the index maps' may be left out (maps_known = false).
    constexpr partitioner(const node* nodes, int count, const std::int64_t* integers, bool maps_known)
        : nodes_(nodes), integers_(integers), maps_known_(maps_known) {
        for (int i = 0; i < count; ++i) {
            bool any = nodes[i].what == kind::reduction;
            for (int in : nodes[i].in) any = any || (in >= 0 && reduces_[in]);
            reduces_[i] = any;
        }
    }

    constexpr partition_result run(int root) {
        pending_[pending_count_++] = root;
        for (int next = 0; next < pending_count_; ++next) {
            const int r = pending_[next];
            axis_ids at{};
            for (int a = 0; a < nodes_[r].rank; ++a) at.id[a] = a;
            fresh_ = max_rank;
            outer_known_ = false;
            root_ = r;
            visit(r, at);
            result_.roots[next] = r;
            result_.outer[next] = outer_known_ ? static_cast<std::uint32_t>(outer_) : (1u << nodes_[r].rank) - 1;
        }
        result_.launches = pending_count_;
        return result_;
    }

private:
    static constexpr int unvarying = -1;
    static constexpr int last_id = 63;
    struct axis_ids {
        int id[max_rank] = {};  ///< the kernel axis that each axis of a node runs along
    };

    constexpr void visit(int i, const axis_ids& at) {
        if (!reduces_[i]) return;
        const node& n = nodes_[i];
        if (n.what == kind::reduction) return visit_reduction(i, at);
        if (n.what == kind::index_map && !maps_known_) {
            result_.known = false;
            return;
        }
        for (int in : n.in) {
            if (in < 0) continue;
            axis_ids inner{};
            for (int a = 0; a < nodes_[in].rank; ++a) {
                if (n.what == kind::index_map) {
                    const auto from = integers_[n.argument + 3 * a];
                    inner.id[a] = from < 0 ? unvarying : at.id[from];
                } else {
                    inner.id[a] = at.id[a + n.rank - nodes_[in].rank];
                }
            }
            visit(in, inner);
        }
    }

    constexpr void visit_reduction(int i, const axis_ids& at) {
        const node& n = nodes_[i];
        const int rank = nodes_[n.in[0]].rank;
        const std::uint32_t mask = reduced_axes(n, integers_);
        axis_ids inner{};
        std::uint64_t kept = 0;
        for (int a = 0, out = 0; a < rank; ++a) {
            if (mask >> a & 1) {
                inner.id[a] = fresh_ < last_id ? fresh_++ : last_id;
                if (n.keepdims) ++out;
            } else {
                inner.id[a] = at.id[out++];
                if (inner.id[a] != unvarying) kept |= std::uint64_t{1} << inner.id[a];
            }
        }
        if (!outer_known_) {
            outer_ = kept;
            outer_known_ = true;
        } else if (kept != outer_ && i != root_) {
            if (!result_.materialised[i]) pending_[pending_count_++] = i;
            result_.materialised[i] = true;
            return;
        }
        visit(n.in[0], inner);
    }

    const node* nodes_;
    const std::int64_t* integers_;
    bool maps_known_;
    bool reduces_[max_nodes] = {};
    int pending_[max_nodes] = {};
    int pending_count_ = 0;
    int root_ = 0;
    int fresh_ = 0;
    bool outer_known_ = false;
    std::uint64_t outer_ = 0;
    partition_result result_;
};

}  // namespace sinter::ir
