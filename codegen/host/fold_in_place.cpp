// Finds loops whose folds can read an array where it lies. A block of it would be copied first where its rows are not
// contiguous, and a block of columns is one row: its start, and the accumulators in memory, take as long as its
// elements.
#include <codegen/host/plan.hpp>

#include <algorithm>

namespace sinter::codegen::blocked {
namespace {

constexpr std::int64_t few_columns = 16;   // fewer neighbours are folded as several rows side by side
constexpr std::int64_t shortest_run = 64;  // folded by lanes
constexpr std::int64_t rows_at_once = 32;  // of columns, a part of a leaf; their moments are merged once

class in_place_folds {
public:
    in_place_folds(plan& p, loop_plan& l, instruction_set isa) : p_(p), l_(l), isa_(isa) {}

    void find() {
        l_.groups_at_once = l_.block_groups;
        if (l_.backwards || l_.folds.empty()) return;
        const bool loads_only = l_.body.steps.size() == 1 && l_.body.stores.empty() && l_.scans.empty();
        const bool all = std::all_of(l_.folds.begin(), l_.folds.end(), [&](const fold_step& f) { return may(f); });
        l_.computes = !(loads_only && all);
        if (!l_.columns && l_.computes) return;  // its blocks are in the cache
        for (fold_step& f : l_.folds)
            if (may(f)) {
                f.in_place = load_of(f);
                if (l_.columns) f.in_columns = column_fold_of(f.op->builtin, f.type, isa_);
                if (l_.columns)
                    l_.blocks_at_once = std::max(l_.blocks_at_once, is_narrow(f) ? l_.leaf_blocks : rows_at_once);
            }
        if (!l_.computes) l_.groups_at_once = p_.tile;
    }

private:
    /// What a fold reads, if that is only loaded; -1 otherwise.
    int load_of(const fold_step& f) const {
        if (f.fused || f.extreme != nullptr || p_.slots[static_cast<std::size_t>(f.in)].kept_at >= 0) return -1;
        for (const step& s : l_.body.steps)
            if (s.out == f.in && s.load >= 0 && s.in[0] < 0) return s.load;
        return -1;
    }

    const access& access_of(const fold_step& f) const { return p_.loads[static_cast<std::size_t>(load_of(f))]; }
    const walk& run_of(const access& a) const { return l_.columns ? a.outer : a.inner; }
    bool is_narrow(const fold_step& f) const { return l_.columns && run_of(access_of(f)).extent() < few_columns; }

    bool may(const fold_step& f) const {
        if (load_of(f) < 0) return false;
        // of columns, elements have the accumulators' dtype, but moments are of their parts
        if (l_.columns && f.of_parts != is_moments(f.type)) return false;
        const access& a = access_of(f);
        const walk& run = run_of(a);
        if (a.inner.axes() == 0 || run.stride() != static_cast<std::int64_t>(a.element_size)) return false;
        if (is_narrow(f) && a.inner.stride() != run.extent() * run.stride()) return false;
        if (!l_.columns) return run.extent() >= shortest_run;
        return column_fold_of(f.op->builtin, f.type, isa_) != nullptr;
    }

    plan& p_;
    loop_plan& l_;
    const instruction_set isa_;
};

}  // namespace

void fold_in_place(plan& p, instruction_set isa) {
    for (loop_plan& l : p.loops) in_place_folds(p, l, isa).find();
}

}  // namespace sinter::codegen::blocked
