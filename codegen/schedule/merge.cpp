// Fewer kernels than the type of an expression tells of. Equal ones become one; and where a kernel has one reader, and
// the two nested have a schedule, they become one. Only a product has such a schedule, where the reader's loops are no
// longer than a tile is wide or only reduce: then what the first kernel would store never leaves the registers. Where
// the two take less time, as on tensor cores, they stay two.
//
// A kernel that reduces everything becomes a part of one that has rows or columns, where a block computes whole ones:
// it is their results that it reads, or what they are computed of.
#include <codegen/schedule/merge.hpp>

#include <codegen/ir/verify.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sinter::codegen {

namespace {

bool is_product(const loop_nest& k) { return k.product != ir::product::none; }

/// Whether a kernel's blocks compute whole rows or columns.
bool has_whole_groups(const loop_nest& k, const unaligned_schedule& chosen) {
    if (k.loops.empty() || k.outer.empty() || outer_size(k) == 0) return false;
    const schedule s = chosen(k);
    return (s.form == schedule_form::rows || s.form == schedule_form::columns) && s.blocks_per_output == 1 &&
           s.cluster == 1 && !s.grid_barrier;
}

/// Whether two kernels as one have a schedule, and may take no longer than the two. What is nested is not multiplied on
/// tensor cores: where that alone takes longer, a first kernel that is stays apart.
bool pays(const loop_nest& nested, const loop_nest& first, const loop_nest& second, const device_properties& m) {
    if (!schedule_contraction(nested, m, {})) return false;
    const schedule s = choose_schedule(first, m, aligned(first));
    if (s.form != schedule_form::tensor) return true;
    const double multiplied = static_cast<double>(outer_size(first)) * static_cast<double>(longest_loop(first));
    const double apart = tensor_seconds(first, s, m) + aligned_seconds(second, m);
    return seconds_per_launch + multiplied / m.operations_per_second <= apart;
}

/// A product in one of its readers. Maxima and sums of exponentials are folded in one loop.
std::optional<loop_nest> with_online_sums(const loop_nest& first, const loop_nest& second, int stored) {
    const std::optional<loop_nest> in_one_loop = online_softmax(second);
    return nest(first, in_one_loop ? *in_one_loop : second, stored);
}

/// The seconds of a kernel that folds a product's columns on tensor cores; infinite for other kernels.
double seconds_of_fold(const loop_nest& nested, const device_properties& m) {
    const std::optional<schedule> s =
        folded_factors_of(nested) ? schedule_tensor(nested, m, aligned(nested)) : std::nullopt;
    return s ? tensor_seconds(nested, *s, m) : std::numeric_limits<double>::infinity();
}

/// A kernel and its only reader as one, where that has a schedule and may take no longer than the two.
std::optional<loop_nest> fused(const loop_nest& first, const loop_nest& second, int stored,
                               const device_properties& m) {
    std::optional<loop_nest> nested = with_online_sums(first, second, stored);
    const double folded = nested ? seconds_of_fold(*nested, m) : std::numeric_limits<double>::infinity();
    if (std::isfinite(folded) && folded < product_seconds(first, m) + aligned_seconds(second, m)) return nested;
    if (is_product(first)) return std::nullopt;
    const bool has_all_loops = nested && nested->loops.size() == second.loops.size() + 1;
    if (!has_all_loops) nested = nest(first, second, stored);
    return nested && pays(*nested, first, second, m) ? nested : std::nullopt;
}

/// The readers of a product, each of which computes it for itself and folds its columns, where that takes less time
/// than storing it does: a loss may take maxima and sums along both axes. Empty where it does not.
std::vector<loop_nest> folding_readers(const std::vector<loop_nest>& kernels, const std::vector<int>& readers,
                                       const loop_nest& first, int stored, const device_properties& m) {
    std::vector<loop_nest> made;
    double left = product_seconds(first, m);  // of the seconds that they may take
    for (const int reader : readers) {
        const loop_nest& second = kernels[static_cast<std::size_t>(reader)];
        if (is_product(second) || second.call) return {};
        std::optional<loop_nest> nested = with_online_sums(first, second, stored);
        const double folded = nested ? seconds_of_fold(*nested, m) : std::numeric_limits<double>::infinity();
        if (!std::isfinite(folded)) return {};
        left += aligned_seconds(second, m) - folded;
        made.push_back(std::move(*nested));
    }
    return left > 0 ? made : std::vector<loop_nest>();
}

class group_folds_of_kernels {
public:
    group_folds_of_kernels(std::vector<loop_nest>& all, int leaf_count, const unaligned_schedule& chosen)
        : kernels(all), leaves(leaf_count), chosen_(chosen) {}

    void run() {
        for (std::size_t second = 1; second < kernels.size(); ++second)
            for (std::size_t first = second; first-- > 0;)
                if (fold(first, second)) {
                    second = 0;  // what is one now may be folded by another
                    break;
                }
    }

private:
    /// Makes one of two kernels, which stands where the second does.
    bool fold(std::size_t first, std::size_t second) {
        if (is_product(kernels[first]) || is_product(kernels[second])) return false;
        if (!kernels[first].outer.empty() && !kernels[second].outer.empty()) return false;  // none folds all groups
        const std::vector<std::vector<int>> stored = stored_leaves(kernels, leaves);
        for (std::size_t between = first + 1; between < second; ++between)
            if (reads_any(kernels[between], stored[first])) return false;
        std::size_t groups = first, reader = second;
        std::optional<loop_nest> both = folded(groups, reader, stored[groups]);
        if (!both && !reads_any(kernels[second], stored[first])) {
            std::swap(groups, reader);
            both = folded(groups, reader, stored[groups]);
        }
        if (!both) return false;
        verify(*both, "fold_groups");
        std::vector<std::vector<int>> before = stored;
        before[second] = stored[groups];
        before[second].insert(before[second].end(), stored[reader].begin(), stored[reader].end());
        drop_unread(*both, before[second], first, second);
        kernels[second] = std::move(*both);
        kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(first));
        before.erase(before.begin() + static_cast<std::ptrdiff_t>(first));
        renumber_leaves(kernels, leaves, before);
        return true;
    }

    std::optional<loop_nest> folded(std::size_t groups, std::size_t reader, const std::vector<int>& stored) const {
        if (!kernels[reader].outer.empty() || !has_whole_groups(kernels[groups], chosen_)) return std::nullopt;
        return fold_groups(kernels[groups], kernels[reader], stored);
    }

    /// What only the two kernels have read is stored no longer, unless it is a result.
    void drop_unread(loop_nest& both, std::vector<int>& stored, std::size_t first, std::size_t second) const {
        for (int o = static_cast<int>(stored.size()); o-- > 0;) {
            const int leaf = stored[static_cast<std::size_t>(o)];
            bool by_these = false, by_others = false;
            for (std::size_t k = 0; k < kernels.size() && leaf >= 0; ++k)
                (k == first || k == second ? by_these : by_others) |= reads(kernels[k], leaf);
            if (by_these && !by_others) drop_stored(both, stored, o);
        }
    }

    std::vector<loop_nest>& kernels;
    int leaves;
    const unaligned_schedule& chosen_;
};

}  // namespace

std::vector<loop_nest> merge_kernels(std::vector<loop_nest> kernels, int leaves, const device_properties& m) {
    return merge_kernels(std::move(kernels), leaves, m, [&m](const loop_nest& k) { return choose_schedule(k, m, {}); });
}

std::vector<loop_nest> merge_kernels(std::vector<loop_nest> kernels, int leaves, const device_properties& m,
                                     const unaligned_schedule& chosen) {
    merge_identical_kernels(kernels, leaves);
    chain_kernels(kernels, leaves, m);
    for (int first = 0; first < static_cast<int>(kernels.size()); ++first) {
        const loop_nest& k = kernels[static_cast<std::size_t>(first)];
        const int stored = leaves + temporaries_before(kernels, first);
        if (k.outputs.size() != 1 || !k.results.empty()) continue;
        const std::vector<int> readers = readers_of(kernels, stored);
        std::vector<loop_nest> made;
        if (readers.size() > 1) {
            made = folding_readers(kernels, readers, k, stored, m);
        } else if (readers.size() == 1 && !is_product(kernels[static_cast<std::size_t>(readers[0])])) {
            std::optional<loop_nest> both = fused(k, kernels[static_cast<std::size_t>(readers[0])], stored, m);
            if (both) made.push_back(std::move(*both));
        }
        if (made.empty()) continue;
        for (std::size_t r = 0; r < readers.size(); ++r) {
            verify(made[r], "nest");
            kernels[static_cast<std::size_t>(readers[r])] = std::move(made[r]);
        }
        drop_kernel(kernels, leaves, first--, -1);
    }
    group_folds_of_kernels(kernels, leaves, chosen).run();
    return kernels;
}

}  // namespace sinter::codegen
