// Fewer arrays between kernels: what products give is computed again where it is read, instead of stored.
#include <codegen/schedule/nested_products.hpp>

#include <codegen/ir/verify.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/transforms/pass.hpp>
#include <codegen/transforms/recompute.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {
namespace {

/// Whether a kernel is a product with more elements than what it is computed of: only these are worth computing again.
bool is_large_product(const loop_nest& k) {
    const std::optional<tensor_factors> f = tensor_factors_of(k);
    if (!f) return false;
    return std::all_of(k.values.begin(), k.values.end(), [&](const value& v) {
        return v.what != value_kind::load || v.loop != 0 || elements_touched(k, v.at, v.varies) < outer_size(k);
    });
}

class recomputing {
public:
    recomputing(std::vector<loop_nest>& all, int leaf_count, const device_properties& on)
        : kernels_(all), leaves_(leaf_count), m_(on), stored_{all, stored_leaves(all, leaf_count), {}} {
        for (const loop_nest& k : all) stored_.products.push_back(!k.call && is_large_product(k));
    }

    void run() {
        std::vector<std::pair<int, loop_nest>> made;
        for (int reader = 0; reader < static_cast<int>(kernels_.size()); ++reader) {
            if (kernels_[static_cast<std::size_t>(reader)].call) continue;
            for (const int leaf : candidates(reader)) {
                std::optional<loop_nest> k = recompute(stored_, reader, leaf);
                if (!k) continue;
                verify(*k, "recompute");
                if (!schedule_nested(*k, m_, aligned(*k))) continue;
                made.emplace_back(reader, std::move(*k));
                break;
            }
        }
        for (auto& [reader, k] : made) kernels_[static_cast<std::size_t>(reader)] = std::move(k);
        if (made.empty()) return;
        while (merge()) {
        }
        drop_unread();
    }

private:
    const loop_nest& at(int k) const { return kernels_[static_cast<std::size_t>(k)]; }

    /// The leaves that a kernel might compute, those with the most elements first; -1: all of them at once.
    std::vector<int> candidates(int reader) const {
        const loop_nest& k = at(reader);
        if (!tensor_factors_of(k)) return {-1};
        std::vector<std::pair<std::int64_t, int>> found;
        for (const value& v : k.values) {
            if (v.what != value_kind::load || v.loop != 0) continue;
            const int leaf = k.inputs[static_cast<std::size_t>(v.input)].leaf;
            if (!is_computed_of_products(stored_, leaf) || is_stored_in_one_pass(reader, leaf)) continue;
            found.emplace_back(-elements_touched(k, v.at, v.varies), leaf);
        }
        std::sort(found.begin(), found.end());
        std::vector<int> leaves;
        for (const auto& [elements, leaf] : found) leaves.push_back(leaf);
        return leaves;
    }

    /// Whether the kernel that stores a leaf folds what it is computed of, and this is its first reader: the three may
    /// become one (chain_kernels).
    bool is_stored_in_one_pass(int reader, int leaf) const {
        for (int k = 0; k < reader; ++k) {
            const std::vector<int>& own = stored_.leaves[static_cast<std::size_t>(k)];
            if (std::find(own.begin(), own.end(), leaf) == own.end()) {
                if (reads(at(k), leaf)) return false;  // an earlier reader
                continue;
            }
            if (at(k).loops.size() < 2) return false;
        }
        return true;
    }

    /// Makes one of two nested kernels that share products, if that is faster.
    bool merge() {
        for (std::size_t second = 1; second < kernels_.size(); ++second)
            for (std::size_t first = 0; first < second; ++first)
                if (nested_products_of(kernels_[first]) && nested_products_of(kernels_[second]) && merge(first, second))
                    return true;
        return false;
    }

    bool merge(std::size_t first, std::size_t second) {
        std::vector<std::vector<int>>& leaves = stored_.leaves;
        if (reads_any(kernels_[second], leaves[first])) return false;
        std::vector<int> outputs = leaves[first];
        std::optional<loop_nest> both = merge_nested(kernels_[first], kernels_[second]);
        if (both) {
            outputs.insert(outputs.end(), leaves[second].begin(), leaves[second].end());
        } else {
            both = merge_nested(kernels_[second], kernels_[first]);
            outputs.insert(outputs.begin(), leaves[second].begin(), leaves[second].end());
        }
        if (!both) return false;
        verify(*both, "merge_nested");
        const std::optional<schedule> s = schedule_nested(*both, m_, aligned(*both));
        if (!s || nested_seconds(*both, *s, m_) >= seconds_of(kernels_[first]) + seconds_of(kernels_[second]))
            return false;
        return replace(first, second, std::move(*both), std::move(outputs));
    }

    double seconds_of(const loop_nest& k) const { return nested_seconds(k, *schedule_nested(k, m_, aligned(k)), m_); }

    /// Puts one kernel in the second one's place, and what needs the first after it. False if the second needs that.
    bool replace(std::size_t first, std::size_t second, loop_nest both, std::vector<int> outputs) {
        std::vector<std::vector<int>>& leaves = stored_.leaves;
        std::vector<std::size_t> sooner, later;
        for (std::size_t k = first + 1; k < second; ++k) {
            bool needs = reads_any(kernels_[k], leaves[first]);
            for (const std::size_t other : later) needs = needs || reads_any(kernels_[k], leaves[other]);
            (needs ? later : sooner).push_back(k);
        }
        for (const std::size_t k : later)
            if (reads_any(kernels_[second], leaves[k])) return false;
        std::vector<loop_nest> kernels;
        std::vector<std::vector<int>> before;
        const auto take = [&](std::size_t k) {
            kernels.push_back(std::move(kernels_[k]));
            before.push_back(std::move(leaves[k]));
        };
        for (std::size_t k = 0; k < first; ++k) take(k);
        for (const std::size_t k : sooner) take(k);
        kernels.push_back(std::move(both));
        before.push_back(std::move(outputs));
        for (const std::size_t k : later) take(k);
        for (std::size_t k = second + 1; k < kernels_.size(); ++k) take(k);
        kernels_ = std::move(kernels);
        leaves = std::move(before);
        return true;
    }

    /// Drops what is neither a result nor read, until nothing is.
    void drop_unread() {
        std::vector<std::vector<int>> before = stored_.leaves;
        for (auto k = static_cast<int>(kernels_.size()); k-- > 0;) {
            loop_nest& self = kernels_[static_cast<std::size_t>(k)];
            std::vector<int>& own = before[static_cast<std::size_t>(k)];
            if (self.call) continue;
            const std::size_t outputs = self.outputs.size();
            for (auto o = static_cast<int>(own.size()); o-- > 0;) {
                const int leaf = own[static_cast<std::size_t>(o)];
                const auto is_read = [&](const loop_nest& other) { return reads(other, leaf); };
                if (leaf >= 0 && std::none_of(kernels_.begin() + k + 1, kernels_.end(), is_read))
                    drop_stored(self, own, o);
            }
            if (self.outputs.empty()) {
                kernels_.erase(kernels_.begin() + k);
                before.erase(before.begin() + k);
            } else if (self.outputs.size() != outputs) {
                drop_loops_without_results(self);
            }
        }
        renumber_leaves(kernels_, leaves_, before);
    }

    static void drop_loops_without_results(loop_nest& k) {
        drop_unused(k);
        for (auto l = static_cast<int>(k.loops.size()); l-- > 0;) {
            const bool stores =
                std::any_of(k.stores.begin(), k.stores.end(), [&](const kernel_store& s) { return s.loop == l; });
            // only a last loop can be without: what earlier ones fold, a later one needs
            if (stores || !k.loops[static_cast<std::size_t>(l)].reductions.empty()) break;
            k.loops.pop_back();
        }
        renumber_axes(k);
    }

    std::vector<loop_nest>& kernels_;
    const int leaves_;
    const device_properties& m_;
    stored_arrays stored_;
};

}  // namespace

bool has_large_products(const std::vector<loop_nest>& kernels) {
    return kernels.size() > 1 && std::any_of(kernels.begin(), kernels.end(),
                                             [](const loop_nest& k) { return !k.call && is_large_product(k); });
}

void recompute_operands(std::vector<loop_nest>& kernels, int leaves, const device_properties& m) {
    recomputing(kernels, leaves, m).run();
}

}  // namespace sinter::codegen
