// Which reductions need a launch of their own. The C++ compiler runs this for launches<E> and the code generator runs
// it for real, so the two cannot disagree.
//
// A kernel gives every point of its outer axes to one group of threads. A reduction can be part of the kernel exactly
// if each group can compute the results it needs by itself: if the axes that the reduction keeps are the kernel's outer
// axes. The first reduction met from the root decides the outer axes; one that keeps others is materialised: it becomes
// the root of an earlier kernel, and the present one loads its result. So is what a store node says is stored.
//
// A scan is like a reduction whose results are broadcast back, but it must be used as it goes along: element for
// element, in a loop over its axis alone, and, if it begins at the end, of the whole axis. All scans of a kernel go in
// one direction. A scan that is used otherwise is materialised.
//
// Without fusion every operation is materialised, and the rule only says which axes are a kernel's outer ones.
#pragma once

#include <sinter/ir/node.hpp>

namespace sinter::ir {

struct partition_result {
    bool known = true;  ///< false: it hangs on integers that were not given
    int launches = 1;
    bool materialised[max_nodes] = {};    ///< the nodes that earlier kernels store
    int stored[max_nodes] = {};           ///< what each kernel stores; the program's own kernel, with its roots, first
    std::uint32_t outer[max_nodes] = {};  ///< of each kernel but the roots': the axes of its root that are outer axes
    std::uint32_t root_outer[max_roots] = {};  ///< the same for each of the program's roots
    bool root_decides[max_roots] = {};         ///< whether a reduction or scan within the root's kernel decided them
    bool shares = true;  ///< false: the roots have not equally many outer axes, so one kernel cannot store them all
};

/// A set of a reduction's axes, known or among the integers.
constexpr std::uint32_t reduced_axes(const node& n, const std::int64_t* integers) {
    return n.axes_known ? n.axes : static_cast<std::uint32_t>(integers[n.argument]);
}

/// Whether a node computes: the others are what it reads, views of that, and conversions, which its reader does. A
/// product is one operation, its sum and its factors.
constexpr bool is_operation(const node& n) {
    return n.what != kind::leaf && n.what != kind::scalar && n.what != kind::constant && n.what != kind::cast &&
           n.what != kind::index_map && n.what != kind::reshape && n.what != kind::iota && n.what != kind::held &&
           (n.what != kind::store || n.bits != 0);
}

class partitioner {
public:
    /// `integers` holds the program's integers; the index maps' may be left out (maps_known = false). `every_operation`
    /// gives each operation a kernel of its own.
    constexpr partitioner(const node* nodes, int count, const std::int64_t* integers, bool maps_known,
                          bool every_operation = false)
        : nodes_(nodes), integers_(integers), maps_known_(maps_known), every_operation_(every_operation) {
        for (int i = 0; i < count; ++i) {
            bool folds = nodes[i].what == kind::reduction || nodes[i].what == kind::scan;
            bool any = folds || nodes[i].what == kind::store;
            for (int in : nodes[i].in) {
                any = any || (in >= 0 && cuts_[in]);
                folds = folds || (in >= 0 && reduces_[in]);
            }
            cuts_[i] = any;
            reduces_[i] = folds && nodes[i].what != kind::store;
        }
    }

    /// The kernels of the program's roots come first: one kernel, or without fusion one a root.
    constexpr partition_result run(const int* roots, int count) {
        const int of_roots = every_operation_ ? count : 1;
        for (int r = 0; r < of_roots; ++r) result_.stored[r] = roots[r];
        pending_count_ = of_roots;
        if (every_operation_)
            for (int r = 0; r < count; ++r) result_.root_outer[r] = outer_of_kernel(roots[r]);
        else
            partition_roots(roots, count);
        for (int next = of_roots; next < pending_count_; ++next) {
            result_.stored[next] = pending_[next];
            result_.outer[next] = outer_of_kernel(pending_[next]);
        }
        result_.launches = pending_count_;
        return result_;
    }
    constexpr partition_result run(int root) { return run(&root, 1); }

private:
    static constexpr int unvarying = -1;
    static constexpr int scattered = -2;  ///< read at computed places
    static constexpr int last_id = 63;
    enum class direction : std::uint8_t { undecided, forward, backward };
    /// How an axis of a node runs along a kernel's: element for element, all of it or perhaps not to its end, or other.
    enum class along : std::uint8_t { whole, beginning, other };
    struct axis_ids {
        int id[max_rank] = {};  ///< the kernel axis that each axis of a node runs along
        along how[max_rank] = {};
    };
    static constexpr std::uint64_t bit(int id) { return std::uint64_t{1} << id; }

    /// Goes through the kernel that stores a node, and through no other. Gives the node's axes that are outer ones.
    constexpr std::uint32_t outer_of_kernel(int root) {
        direction_ = direction::undecided;
        return outer_from(root);
    }

    /// The same where the kernel stores other nodes, too.
    constexpr std::uint32_t outer_from(int root) {
        axis_ids at{};
        for (int a = 0; a < nodes_[root].rank; ++a) at.id[a] = a;
        fresh_ = max_rank;
        outer_known_ = false;
        root_ = root;
        while (every_operation_ && nodes_[root_].what == kind::cast) root_ = nodes_[root_].in[0];
        space_ = all_axes(nodes_[root].rank);
        visit(root, at);
        return outer_known_ ? static_cast<std::uint32_t>(outer_) : all_axes(nodes_[root].rank);
    }
    static constexpr std::uint32_t all_axes(int rank) { return (1u << rank) - 1; }

    /// The roots share their outer axes, in order. A root in which no reduction or scan decides them takes part like
    /// the operand of the first one that does, if it has as many axes as that; otherwise all its axes are outer ones.
    constexpr void partition_roots(const int* roots, int count) {
        int axes = -1, operand_rank = -1;
        std::uint32_t kept = 0;
        for (int r = 0; r < count; ++r) {
            result_.root_outer[r] = outer_from(roots[r]);
            result_.root_decides[r] = outer_known_;
            if (!outer_known_) continue;
            if (axes < 0) {
                operand_rank = decisive_rank_;
                kept = decisive_kept_;
            }
            const int mine = __builtin_popcount(result_.root_outer[r]);
            result_.shares = result_.shares && (axes < 0 || axes == mine);
            axes = mine;
        }
        for (int r = 0; r < count && count > 1; ++r) {
            const int rank = nodes_[roots[r]].rank;
            if (!result_.root_decides[r] && rank == operand_rank) result_.root_outer[r] = kept;
            const int mine = __builtin_popcount(result_.root_outer[r]);
            result_.shares = result_.shares && (axes < 0 || axes == mine);
            axes = mine;
        }
    }

    constexpr void visit(int i, const axis_ids& at) {
        const node& n = nodes_[i];
        if (every_operation_ && i != root_ && is_operation(n) && !within_product(i)) return materialise(i);
        if (!cuts_[i] && !every_operation_) return;
        if (n.what == kind::reduction) return visit_reduction(i, at);
        if (n.what == kind::store && i != root_ && !every_operation_) return materialise(i);
        if (n.what == kind::scan) return visit_scan(i, at);
        if (n.what == kind::index_map && !maps_known_ && reduces_[n.in[0]]) {
            result_.known = false;
            return;
        }
        for (int o = 0; o < max_operands; ++o) {
            const int in = n.in[o];
            if (in < 0 || (!cuts_[in] && !every_operation_)) continue;
            axis_ids inner{};
            for (int a = 0; a < nodes_[in].rank; ++a) {
                if (n.what == kind::index_map && o == 0) {
                    const auto from = maps_known_ ? integers_[n.argument + 3 * a] : from_operand;
                    inner.id[a] = from == from_operand ? scattered : from < 0 ? unvarying : at.id[from];
                    const bool begins =
                        maps_known_ && integers_[n.argument + 3 * a + 1] == 0 && integers_[n.argument + 3 * a + 2] == 1;
                    inner.how[a] =
                        from >= 0 && begins && at.how[from] != along::other ? along::beginning : along::other;
                } else if (n.what == kind::reshape) {
                    inner.id[a] = scattered;
                } else {
                    inner.id[a] = at.id[a + n.rank - nodes_[in].rank];
                    inner.how[a] = at.how[a + n.rank - nodes_[in].rank];
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
        std::uint64_t kept = 0, folded = 0;
        bool anywhere = false;
        for (int a = 0, out = 0; a < rank; ++a) {
            if (mask >> a & 1) {
                inner.id[a] = fresh_ < last_id ? fresh_++ : last_id;
                folded |= bit(inner.id[a]);
                if (n.keepdims) ++out;
            } else {
                inner.how[a] = at.how[out];
                inner.id[a] = at.id[out++];
                anywhere = anywhere || inner.id[a] == scattered;
                if (inner.id[a] >= 0) kept |= bit(inner.id[a]);
            }
        }
        if (anywhere || (outer_known_ && kept != outer_ && i != root_)) return materialise(i);
        if (!outer_known_) decide_outer(kept, rank, all_axes(rank) & ~mask);
        const std::uint64_t around = space_;
        space_ = kept | folded;
        visit(n.in[0], inner);
        space_ = around;
    }

    constexpr void visit_scan(int i, const axis_ids& at) {
        const node& n = nodes_[i];
        const std::uint32_t mask = reduced_axes(n, integers_);
        std::uint64_t kept = 0;
        bool fits = true;
        int axis = unvarying;
        for (int a = 0; a < n.rank; ++a) {
            const bool along_it = mask >> a & 1;
            if (along_it) axis = at.id[a];
            if (along_it) fits = fits && at.how[a] <= (n.reverse ? along::whole : along::beginning);
            fits = fits && at.id[a] != scattered;
            if (!along_it && at.id[a] >= 0) kept |= bit(at.id[a]);
        }
        const direction mine = n.reverse ? direction::backward : direction::forward;
        fits = fits && axis >= 0 && axis != last_id && !(kept >> axis & 1) && (kept | bit(axis)) == space_ &&
               (direction_ == direction::undecided || direction_ == mine) && (!outer_known_ || kept == outer_);
        if (!fits) return materialise(i);
        direction_ = mine;
        if (!outer_known_) decide_outer(kept, n.rank, all_axes(n.rank) & ~mask);
        visit(n.in[0], at);
    }

    constexpr void decide_outer(std::uint64_t kept, int rank, std::uint32_t kept_axes) {
        outer_ = kept;
        outer_known_ = true;
        decisive_rank_ = rank;
        decisive_kept_ = kept_axes;
    }

    /// Whether a node is the sum or the multiplication of the product that the kernel stores.
    constexpr bool within_product(int i) const {
        if (nodes_[root_].what != kind::store || nodes_[root_].bits == 0) return false;
        int sum = nodes_[root_].in[0];
        while (nodes_[sum].what == kind::cast) sum = nodes_[sum].in[0];
        return i == sum || i == nodes_[sum].in[0];
    }

    constexpr void materialise(int i) {
        if (!result_.materialised[i]) pending_[pending_count_++] = i;
        result_.materialised[i] = true;
    }

    const node* nodes_;
    const std::int64_t* integers_;
    bool maps_known_;
    bool every_operation_;
    bool cuts_[max_nodes] = {};     ///< a reduction or a store is here or below
    bool reduces_[max_nodes] = {};  ///< a reduction is, and no store above it
    int pending_[max_nodes] = {};
    int pending_count_ = 0;
    int root_ = 0;
    int fresh_ = 0;
    bool outer_known_ = false;
    std::uint64_t outer_ = 0;
    std::uint64_t space_ = 0;  ///< the axes that the node being visited runs along: the outer ones and its loop's
    direction direction_ = direction::undecided;  ///< of the present kernel's scans
    int decisive_rank_ = 0;                       ///< of the operand of the reduction that decided the outer axes
    std::uint32_t decisive_kept_ = 0;             ///< and its axes that stay
    partition_result result_;
};

}  // namespace sinter::ir
