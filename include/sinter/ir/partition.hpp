// Decides which reductions need a launch of their own. The C++ compiler runs this code for launches<E> and the code
// generator runs it at evaluation, so the two cannot disagree.
//
// A kernel assigns each point of its outer axes to one group of threads. A reduction can be fused into the kernel if
// and only if each group can compute the results it needs itself: if the axes that the reduction keeps are the kernel's
// outer axes. Otherwise it is materialized: it becomes the root of an earlier kernel, and this kernel loads its result.
// So is the operand of a materialize node.
//
//  - The reduction over the most elements decides the outer axes, because reading its operand twice costs most. Ties go
//    to the one that keeps more axes (smaller and more groups), then to the first from the root. If the root is a
//    reduction, it decides.
//  - If several reductions that cannot be fused meet in an expression no larger than they are, as in
//    mean(log(sum(exp(x), axis=1)) - max(x, axis=1)), that expression is materialized instead: one array for several,
//    and the reductions share a kernel.
//  - A reduction of a reduction by the same op, as sum(sum(x, axis=1)), becomes one reduction over both sets of axes,
//    unless the inner one has other readers.
//
// A scan is like a reduction whose results are broadcast back, but each result must be used within the scan's loop:
// elementwise, in a loop over its axis alone, and over the whole axis if the scan runs in reverse. All scans of a
// kernel run in the same direction. A scan that is used otherwise is materialized.
//
// A whole-array function has its own launch: its operands are materialized unless they are arrays, and its readers load
// its results.
//
// Without fusion every operation is materialized, and partitioning only selects each kernel's outer axes.
#pragma once

#include <sinter/ir/axis_walk.hpp>

namespace sinter::ir {

struct partition_result {
    bool known = true;  ///< false: depends on integers that were not given
    int launches = 1;
    bool materialised[max_nodes] = {};    ///< nodes stored by earlier kernels
    int stored[max_nodes] = {};           ///< the node each kernel stores; kernel 0 is that of the roots
    std::uint32_t outer[max_nodes] = {};  ///< per kernel other than the roots': which axes of its root are outer axes
    std::uint32_t root_outer[max_roots] = {};  ///< the same, per program root
    bool root_decides[max_roots] = {};         ///< whether a reduction or scan in the root's kernel decided them
    std::uint32_t root_kept[max_roots] = {};   ///< per root: the kept axes of that reduction's operand
    int root_rank[max_roots] = {};             ///< and that operand's rank
    bool shares = true;  ///< false: the roots do not share their axes, so one kernel cannot store them all
};

/// Whether a node is an operation: not an input, a view or a conversion, which its reader computes. A contraction is
/// one operation, including its sum and its factors.
constexpr bool is_operation(const node& n) {
    return n.what != kind::leaf && n.what != kind::scalar && n.what != kind::constant && n.what != kind::cast &&
           n.what != kind::index_map && n.what != kind::reshape && n.what != kind::iota &&
           n.what != kind::stop_gradient && (n.what != kind::materialize || n.bits != 0);
}

class partitioner : axis_walk {
public:
    /// `integers` holds the program's integers; those of index maps may be missing (maps_known = false).
    /// `every_operation` gives each operation its own kernel. `sizes` holds each node's element count if known;
    /// otherwise ranks are compared.
    constexpr partitioner(const node* nodes, int count, const std::int64_t* integers, bool maps_known,
                          bool every_operation = false, const std::int64_t* sizes = nullptr)
        : axis_walk(nodes, integers, maps_known), sizes_(sizes), every_operation_(every_operation) {
        for (int i = 0; i < count; ++i) {
            readers_[i] = every_operation ? 1 : 0;  // keeps nested reductions separate, as if they had other readers
            on_the_way_[i] = false;
            bool folds = nodes[i].what == kind::reduction || nodes[i].what == kind::scan;
            bool any = folds || nodes[i].what == kind::materialize || nodes[i].what == kind::call;
            for (int in : nodes[i].in) {
                if (in < 0) continue;
                any = any || cuts_[in];
                folds = folds || reduces_[in];
                ++readers_[in];
            }
            cuts_[i] = any;
            reduces_[i] = folds && nodes[i].what != kind::materialize && nodes[i].what != kind::call;
            span_[i] = span_of(nodes[i]);
            met_[i] = met_in(i);
        }
    }

    /// The kernels of the program's roots come first: one kernel, or one per root without fusion. `one_kernel`: if
    /// possible, the kernel that stores all roots also computes the values that they need of each other.
    /// The result is a member.
    constexpr const partition_result& run(const int* roots, int count, bool one_kernel = false) {
        for (int r = 0; r < count; ++r) {
            ++readers_[roots[r]];
            on_the_way_[roots[r]] = one_kernel && nodes_[roots[r]].bits == 0;
        }
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
    constexpr const partition_result& run(int root) { return run(&root, 1); }

private:
    enum class direction : std::uint8_t { undecided, forward, backward };
    /// A scan within a kernel.
    struct run_along {
        std::uint64_t kept = 0;
        bool fits = true;  ///< false: no kernel can hold it, whatever its other reductions and scans
    };

    /// Visits only the kernel that stores a node. Returns which of the node's axes are outer ones.
    constexpr std::uint32_t outer_of_kernel(int root) {
        direction_ = direction::undecided;
        return outer_from(root);
    }

    /// As above for a kernel that also stores other nodes.
    constexpr std::uint32_t outer_from(int root) {
        axis_ids at{};
        for (int a = 0; a < nodes_[root].rank; ++a) at.id[a] = a;
        outer_known_ = false;
        root_ = root;
        while (every_operation_ && nodes_[root_].what == kind::cast && nodes_[nodes_[root_].in[0]].what != kind::call)
            root_ = nodes_[root_].in[0];
        space_ = all_axes(nodes_[root].rank);
        fresh_ = max_rank;
        decisive_size_ = -1;
        if (!every_operation_) look(root, at);
        fresh_ = max_rank;
        visit(root, at);
        return outer_known_ ? static_cast<std::uint32_t>(outer_) : all_axes(nodes_[root].rank);
    }
    /// The roots share their outer axes, in order. Reductions of operands of one rank must keep the same axes: row and
    /// column reductions read across each other's lines, even if the number of kept axes agrees. A root that contains
    /// no deciding reduction or scan is treated like the operand of the first one that does, if their ranks agree;
    /// otherwise all its axes are outer ones. A contraction has its own kernel, and so does a call.
    constexpr void partition_roots(const int* roots, int count) {
        put_apart(roots, count);
        int first = -1, leading = -1;
        bool by_itself[max_roots] = {};
        for (int r = 0; r < count; ++r) {
            result_.root_outer[r] = all_axes(nodes_[roots[r]].rank);
            by_itself[r] = result_.materialised[roots[r]];
            if (by_itself[r]) continue;
            result_.root_outer[r] = outer_from(roots[r]);
            result_.root_decides[r] = outer_known_;
            if (leading < 0 || (first < 0 && outer_known_)) leading = r;
            if (!outer_known_) continue;
            result_.root_kept[r] = decisive_kept_;
            result_.root_rank[r] = decisive_rank_;
            if (first < 0) first = r;
        }
        for (int r = 0; r < count && count > 1; ++r) {
            if (by_itself[r]) continue;
            const bool as_operand = first >= 0 && nodes_[roots[r]].rank == result_.root_rank[first];
            if (!result_.root_decides[r] && as_operand) result_.root_outer[r] = result_.root_kept[first];
            const bool as_many =
                __builtin_popcount(result_.root_outer[r]) == __builtin_popcount(result_.root_outer[leading]);
            const bool alike = !result_.root_decides[r] || result_.root_rank[r] != result_.root_rank[leading] ||
                               result_.root_kept[r] == result_.root_kept[leading];
            result_.shares = result_.shares && as_many && alike;
        }
    }

    constexpr void put_apart(const int* roots, int count) {
        int apart = 0;
        for (int r = 0; r < count; ++r) apart += is_alone(roots[r]);
        for (int r = apart == count ? 1 : 0; r < count; ++r)
            if (is_alone(roots[r])) materialise(roots[r]);
    }
    constexpr bool is_alone(int i) const {
        return nodes_[i].what == kind::call || (nodes_[i].what == kind::materialize && nodes_[i].bits != 0);
    }

    /// Whether the current kernel can compute a reduction.
    constexpr bool fits(int i, const fold& f) const {
        return i == root_ || (!f.anywhere && (!outer_known_ || f.kept == outer_));
    }

    constexpr run_along along_axis(int i, const axis_ids& at) const {
        const node& n = nodes_[i];
        const std::uint32_t mask = reduced_axes(n, integers_);
        run_along r;
        int axis = unvarying;
        for (int a = 0; a < n.rank; ++a) {
            const bool along_it = mask >> a & 1;
            if (along_it) axis = at.id[a];
            if (along_it) r.fits = r.fits && at.how[a] <= (n.reverse ? along::whole : along::beginning);
            r.fits = r.fits && at.id[a] != scattered;
            if (!along_it && at.id[a] >= 0) r.kept |= bit(at.id[a]);
        }
        const direction mine = n.reverse ? direction::backward : direction::forward;
        r.fits = r.fits && axis >= 0 && axis != last_id && !(r.kept >> axis & 1) && (r.kept | bit(axis)) == space_ &&
                 (direction_ == direction::undecided || direction_ == mine);
        return r;
    }

    /// Finds the node that decides the outer axes, among the outermost reductions and scans.
    constexpr void look(int i, const axis_ids& at) {
        const node& n = nodes_[i];
        if (!cuts_[i] || is_cut(i)) return;
        if (n.what == kind::reduction) {
            const fold f = fold_of(i, at);
            if (i == root_ || !f.anywhere) decide_outer(f.kept, f.operand, f.kept_axes);
            return;
        }
        if (n.what == kind::scan) {
            const run_along r = along_axis(i, at);
            if (r.fits) decide_outer(r.kept, i, all_axes(n.rank) & ~reduced_axes(n, integers_));
            return;
        }
        if (is_unknown(n) || n.what == kind::call) return;
        for (int o = 0; o < max_operands; ++o)
            if (n.in[o] >= 0 && cuts_[n.in[o]]) look(n.in[o], operand_ids(n, o, at));
    }

    constexpr void decide_outer(std::uint64_t kept, int operand, std::uint32_t kept_axes) {
        const std::int64_t size = sizes_ ? sizes_[operand] : nodes_[operand].rank;
        const bool more = size > decisive_size_ ||
                          (size == decisive_size_ && __builtin_popcountll(kept) > __builtin_popcountll(outer_));
        if (outer_known_ && !more) return;
        outer_ = kept;
        outer_known_ = true;
        decisive_size_ = size;
        decisive_rank_ = nodes_[operand].rank;
        decisive_kept_ = kept_axes;
    }

    /// Whether a node is materialized before it is read.
    constexpr bool is_cut(int i) const {
        return nodes_[i].what == kind::materialize && i != root_ && !every_operation_ && !on_the_way_[i];
    }

    /// Whether an unknown index map determines where reductions are read.
    constexpr bool is_unknown(const node& n) const {
        return n.what == kind::index_map && !maps_known_ && reduces_[n.in[0]];
    }

    constexpr void visit(int i, const axis_ids& at) {
        const node& n = nodes_[i];
        if (every_operation_ && i != root_ && is_operation(n) && !within_product(i)) return materialise(i);
        if (!cuts_[i] && !every_operation_) return;
        if (n.what == kind::reduction) return visit_reduction(i, at);
        if (n.what == kind::call) return visit_call(i);
        if (is_cut(i)) return materialise(i);
        if (n.what == kind::scan) return visit_scan(i, at);
        if (is_unknown(n)) {
            result_.known = false;
            return;
        }
        if (i != root_ && joins_reductions(i, at)) return materialise(i);
        for (int o = 0; o < max_operands; ++o)
            if (n.in[o] >= 0 && (cuts_[n.in[o]] || every_operation_)) visit(n.in[o], operand_ids(n, o, at));
    }

    constexpr void visit_reduction(int i, const axis_ids& at) {
        const fold f = fold_of(i, at);
        if (!fits(i, f)) return materialise(i);
        if (!outer_known_) decide_outer(f.kept, f.operand, f.kept_axes);
        const std::uint64_t around = space_;
        space_ = f.kept | f.folded;
        visit(f.operand, f.at);
        space_ = around;
    }

    /// A call reads its operands from memory.
    constexpr void visit_call(int i) {
        if (i != root_) return materialise(i);
        for (int in : nodes_[i].in)
            if (in >= 0 && nodes_[in].what != kind::leaf) materialise(in);
    }

    constexpr void visit_scan(int i, const axis_ids& at) {
        const node& n = nodes_[i];
        const run_along r = along_axis(i, at);
        if (!r.fits || (outer_known_ && r.kept != outer_)) return materialise(i);
        direction_ = n.reverse ? direction::backward : direction::forward;
        if (!outer_known_) decide_outer(r.kept, i, all_axes(n.rank) & ~reduced_axes(n, integers_));
        visit(n.in[0], at);
    }

    /// Summary of an expression in which reductions of one shape meet.
    struct meeting {
        int first = -1;        ///< a reduction that does not fit the current kernel
        bool several = false;  ///< there are further ones
        bool even = true;      ///< everything else in it is free of reductions
    };

    /// What holds of a node's meeting in every kernel (see met_): most nodes have none, whatever the axes are.
    constexpr int met_in(int i) const {
        const node& n = nodes_[i];
        if (n.what == kind::reduction) return i;
        if (!goes_by_elements(n)) return -1;
        int met = -1;
        for (const int in : n.in) {
            if (in < 0 || !cuts_[in]) continue;
            if (met_[in] < 0 || span_[met_[in] % max_nodes] != span_[i]) return -1;
            met = met < 0 || met == met_[in] ? met_[in] : met_[in] % max_nodes + max_nodes;
        }
        return met;
    }

    /// Whether several reductions that do not fit the kernel meet in an expression no larger than they are.
    constexpr bool joins_reductions(int i, const axis_ids& at) {
        if (every_operation_ || !goes_by_elements(nodes_[i]) || met_[i] < max_nodes) return false;
        const int fresh = fresh_;
        meeting m;
        meet(i, i, at, m);
        fresh_ = fresh;
        return m.even && m.several;
    }

    constexpr void meet(int top, int i, const axis_ids& at, meeting& m) {
        if (!m.even) return;
        const node& n = nodes_[i];
        if (n.what == kind::reduction) {
            m.even = !result_.materialised[i] && span_[i] == span_[top] && !fits(i, fold_of(i, at));
            m.several = m.several || (m.first >= 0 && m.first != i);
            m.first = i;
        } else if (goes_by_elements(n)) {
            for (int o = 0; o < max_operands; ++o) {
                if (n.in[o] >= 0 && cuts_[n.in[o]]) meet(top, n.in[o], operand_ids(n, o, at), m);
            }
        } else {
            m.even = false;
        }
    }

    /// The axes, counted from the last, along which a node's extent may exceed 1, as far as its kind tells.
    constexpr std::uint32_t span_of(const node& n) const {
        std::uint32_t of_operands = 0;
        for (int in : n.in)
            if (in >= 0) of_operands |= span_[in];
        if (n.what == kind::reduction && n.keepdims) {
            for (int a = 0; a < n.rank; ++a)
                if (reduced_axes(n, integers_) >> a & 1) of_operands &= ~(1u << (n.rank - 1 - a));
            return of_operands;
        }
        return goes_by_elements(n) ? of_operands : all_axes(n.rank);
    }
    static constexpr bool goes_by_elements(const node& n) {
        return n.what == kind::elementwise || n.what == kind::cast || n.what == kind::stop_gradient;
    }

    /// Whether a node is the sum or the multiplication of the contraction that the kernel stores.
    constexpr bool within_product(int i) const {
        if (nodes_[root_].what != kind::materialize || nodes_[root_].bits == 0) return false;
        int sum = nodes_[root_].in[0];
        while (nodes_[sum].what == kind::cast) sum = nodes_[sum].in[0];
        return i == sum || i == nodes_[sum].in[0];
    }

    constexpr void materialise(int i) {
        if (!result_.materialised[i]) pending_[pending_count_++] = i;
        result_.materialised[i] = true;
    }

    const std::int64_t* sizes_;
    bool every_operation_;
    // Per node; entries beyond the program's nodes are uninitialised to save compile time.
    bool cuts_[max_nodes];           ///< whether it or its operands contain a reduction or a materialize
    bool reduces_[max_nodes];        ///< whether they contain a reduction with no materialize above
    std::uint32_t span_[max_nodes];  ///< see span_of
    int met_[max_nodes];             ///< the reduction that meet() finds, plus max_nodes if several; -1: it fails
    bool on_the_way_[max_nodes];     ///< whether a materialize node is computed by the current kernel for others
    int pending_[max_nodes];
    int pending_count_ = 0;
    int root_ = 0;
    bool outer_known_ = false;
    std::uint64_t outer_ = 0;
    std::uint64_t space_ = 0;  ///< axes that the visited node runs along: the outer ones and its loop's
    direction direction_ = direction::undecided;  ///< of the current kernel's scans
    std::int64_t decisive_size_ = -1;             ///< size of the operand that decided the outer axes
    int decisive_rank_ = 0;
    std::uint32_t decisive_kept_ = 0;  ///< and its kept axes
    partition_result result_;
};

}  // namespace sinter::ir
