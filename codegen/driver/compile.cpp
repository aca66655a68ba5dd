// Compiles a program to scheduled kernels.
#include <codegen/driver/compile.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/analysis/alignment.hpp>
#include <codegen/driver/column_folds.hpp>
#include <codegen/driver/cut_memo.hpp>
#include <codegen/driver/fuse_calls.hpp>
#include <codegen/driver/kernel_memo.hpp>
#include <codegen/driver/kernel_times.hpp>
#include <codegen/driver/loop_nest_memo.hpp>
#include <codegen/driver/pipeline.hpp>
#include <codegen/ir/verify.hpp>
#include <codegen/schedule/merge.hpp>
#include <codegen/schedule/nested_products.hpp>
#include <codegen/schedule/traversal.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

/// A rewritten kernel is used only below this fraction of the predicted time, so that rounding decides nothing.
constexpr double worth_rewriting = 0.98;

/// Kernels that move less than this fraction of the bytes are worth so much of the time: what they do not store may not
/// fit the device.
constexpr double worth_time = 1 / 3.0, most_time_for_memory = 1.5;

/// How many operands are tried both joined and apart: planning takes time, too.
constexpr int max_joins_tried = 4;

/// Whether a library needs several calls for a kernel's result; a later call may fail.
bool takes_several_calls(const loop_nest& k) {
    const std::optional<gemm> product = as_gemm(k);
    return product && !product->batches.empty();
}

/// Mask of the results that are written before the last launch: the evaluation may still fail after that.
std::uint32_t early_results(const std::vector<loop_nest>& kernels) {
    std::uint32_t early = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k)
        for (int r : kernels[k].results)
            if (r >= 0 && (k + 1 < kernels.size() || takes_several_calls(kernels[k]))) early |= 1u << r;
    return early;
}

/// Whether these strides are those of a new array of the result's shape.
bool is_row_major(const std::int64_t* strides, const detail::evaluation_result& r) {
    std::int64_t step = 1;
    for (int a = r.rank - 1; a >= 0; --a) {
        if (r.extents[a] != 1 && strides[a] != step) return false;
        step *= r.extents[a];
    }
    return true;
}

class compilation {
public:
    compilation(const bindings& b, const target& to, const compile_settings& how) : b_(b), to_(to), how_(how) {}

    compiled_program run() {
        result_strides strides{};
        for (int r = 0; b_.results && r < b_.program->root_count; ++r)
            if (b_.results[r].into) strides[r] = b_.results[r].into->strides;
        std::vector<loop_nest> kernels = make(strides);
        while (choose_destinations(kernels, strides)) kernels = make(strides);
        for (loop_nest& k : kernels) add(std::move(k));
        return std::move(made_);
    }

private:
    std::vector<loop_nest> make(const result_strides& strides) {
        const cut_cost cost = [this](const kernel_cut& cut, predicted_time kind, const cut_limit& limit) {
            cut_memo& known = known_cuts_[static_cast<std::size_t>(kind)];
            return known.prediction_of(partition(cut), limit, [&](const std::vector<graph>& parts) {
                return times_.prediction_of(kernels_of(parts, nullptr), kind, limit);
            });
        };
        std::string* const trace = std::exchange(trace_, nullptr);
        made_.cut =
            cut_program(*b_.program, b_.arguments, trace, strides, how_.mode, fuses_by_schedule() ? cost : cut_cost());
        std::vector<loop_nest> kernels = kernels_of(partition(made_.cut), trace);
        if (fuses_by_schedule() && (b_.program->gradients || has_large_products(kernels))) recompute_if_faster(kernels);
        return kernels;
    }

    /// Products may read what is computed of the elements of other products, and gradients read them again and again.
    /// Takes the kernels in which such factors are computed again instead, if that is predicted to be faster, or, in a
    /// gradient, to take far less memory and little more time.
    void recompute_if_faster(std::vector<loop_nest>& kernels) {
        std::vector<kernel_cut> cuts{made_.cut};
        if (std::optional<kernel_cut> other = cut_with_statistics(made_.cut)) cuts.push_back(std::move(*other));
        for (kernel_cut& cut : cuts) {
            std::vector<loop_nest> others = kernels_of(partition(cut), nullptr, true);
            const cut_prediction computed = times_.prediction_of(others), stored = times_.prediction_of(kernels);
            const bool saves_memory = b_.program->gradients && computed.bytes < worth_time * stored.bytes;
            if (computed.seconds >= (saves_memory ? most_time_for_memory : worth_rewriting) * stored.seconds) continue;
            kernels = std::move(others);
            made_.cut = std::move(cut);
        }
    }

    /// Operands are joined with products where that is faster for these, or for what becomes of them.
    std::vector<loop_nest> kernels_of(const std::vector<graph>& parts, std::string* trace,
                                      bool recomputes = false) const {
        operand_joins joins;
        std::string passes;
        std::vector<loop_nest> kernels = kernels_with(joins, parts, trace ? &passes : nullptr, recomputes);
        double least = joins.choices == 0 ? 0 : times_.prediction_of(kernels).seconds;
        for (int i = 0; i < std::min(joins.choices, max_joins_tried); ++i) {
            operand_joins more{joins.changed | 1u << i};
            std::string other_passes;
            std::vector<loop_nest> others = kernels_with(more, parts, trace ? &other_passes : nullptr, recomputes);
            const double seconds = times_.prediction_of(others).seconds;
            if (seconds >= least) continue;
            least = seconds;
            joins.changed = more.changed;
            kernels = std::move(others);
            passes = std::move(other_passes);
        }
        if (trace) *trace += passes;
        return kernels;
    }

    std::vector<loop_nest> kernels_with(operand_joins& joins, const std::vector<graph>& parts, std::string* trace,
                                        bool recomputes) const {
        const auto takes = [this](const loop_nest& k) {
            const std::optional<gemm> product = as_gemm(k);
            return product && to_.library && !(fuses_by_schedule() && times_.is_faster_by_kernel(k, *product)) &&
                   to_.library(*product, alignments(k, b_, false));
        };
        const auto seconds = [&](const loop_nest& k) { return times_.seconds_of(k, takes(k)); };
        std::vector<loop_nest> all = make_kernels(
            parts, b_.program->leaves, trace, how_.mode, to_.library ? library_choice(takes) : library_choice(),
            fuses_by_schedule() ? kernel_cost(seconds) : kernel_cost(), &joins, &made_kernels_);
        if (!fuses_by_schedule()) return all;
        if (recomputes) recompute_operands(all, b_.program->leaves, to_.device);
        const unaligned_schedule chosen = [this](const loop_nest& k) { return times_.scheduled(k, {}); };
        all = merge_kernels(std::move(all), b_.program->leaves, to_.device, chosen);
        fold_columns_in_rows(all, b_.program->leaves, to_.device, chosen,
                             [this](const loop_nest& k) { return times_.own_seconds(k); });
        for (loop_nest& k : all) find_maxima_with_sums(k);
        fuse_calls(all, b_.program->leaves, to_, how_.fast_math, trace);
        return all;
    }

    /// Uses an online softmax where it is faster: it saves a loop that reads, and a meeting of blocks. Over elements in
    /// registers a loop costs less than the merges that replace it.
    void find_maxima_with_sums(loop_nest& k) const {
        std::optional<loop_nest> online = online_softmax(k);
        if (!online) return;
        const bool pays = pays_online_.value_of(k, alignments(k, b_, false), [&](const auto&, const auto& alignment) {
            const schedule& plain = times_.scheduled(k, alignment);
            if (plain.register_cached && !plain.grid_barrier) return false;
            return times_.own_seconds(*online) < worth_rewriting * times_.own_seconds(k, plain);
        });
        if (!pays) return;
        verify(*online, "online_softmax");
        k = std::move(*online);
    }

    /// Whether predicted schedules decide how kernels are fused.
    bool fuses_by_schedule() const { return !to_.is_host && how_.mode == fusion::on; }

    /// Decides of each result whether it is written where it shall go or elsewhere first: so is one that overwrites
    /// what is still read, and one of those that are copied in the end, if fresh memory has not its strides. Returns
    /// whether kernels are to be made for other strides, which may cut the program in another way.
    bool choose_destinations(const std::vector<loop_nest>& kernels, result_strides& strides) {
        bool changed = false;
        made_.in_place = 0;
        made_.early = early_results(kernels);
        for (int r = 0; b_.results && r < b_.program->root_count; ++r) {
            const bool shared = shared_leaf(b_, r) >= 0, is_early = made_.early >> r & 1;
            const bool safe = !shared || overwrites_safely(kernels, b_, r);
            const bool as_array = is_early || is_of_call(kernels, r);
            const bool fits = !as_array || !strides[r] || is_row_major(strides[r], b_.results[r]);
            if (!safe || !fits) made_.needs_staging |= 1u << r;
            const bool elsewhere = made_.needs_staging >> r & 1;
            if (shared && !elsewhere) made_.in_place |= 1u << r;
            if (!elsewhere || !strides[r]) continue;
            strides[r] = nullptr;
            changed = true;
        }
        return changed;
    }

    /// Whether a call stores the result: functions of whole arrays write row-major arrays only.
    static bool is_of_call(const std::vector<loop_nest>& kernels, int r) {
        return std::any_of(kernels.begin(), kernels.end(), [r](const loop_nest& k) {
            return k.call && k.call->consumed == 0 &&
                   std::find(k.results.begin(), k.results.end(), r) != k.results.end();
        });
    }

    std::vector<int> alignments_of(const loop_nest& k) const { return alignments(k, b_, made_.needs_staging == 0); }

    /// Gives a kernel an axis of the parts that it joins if a thread can compute all of them.
    bool split_joins(loop_nest& k, const schedule& now) const {
        if (now.form != schedule_form::elementwise && now.form != schedule_form::channels) return false;
        std::optional<loop_nest> other = with_split_joins(k);
        if (!other) return false;
        const schedule then = choose_schedule(*other, to_.device, alignments_of(*other));
        if (then.form != schedule_form::channels || then.vector_width * then.unroll < now.vector_width) return false;
        k = std::move(*other);
        return true;
    }

    /// Gives a kernel other axes if that widens its accesses, or lets several elements share them.
    void widen_accesses(loop_nest& k) const {
        if (k.call || stores_nothing(k)) return;
        const std::vector<int> alignment = alignments_of(k);
        std::optional<loop_nest> other = with_one_axis(k, alignment);
        if (!other && !k.loops.empty()) return;
        const schedule now = choose_schedule(k, to_.device, alignment);
        if (k.loops.empty() && split_joins(k, now)) return;
        const schedule_form wanted = k.loops.empty() ? schedule_form::elementwise : schedule_form::rows;
        if (!other || now.form != wanted) return;
        const schedule then = choose_schedule(*other, to_.device, alignments_of(*other));
        if (then.form != wanted || then.vector_width <= now.vector_width) return;
        // threads of few elements find as many indices as others: they have one axis in any case
        const bool has_few = k.loops.empty() && now.vector_width < 4;
        if (has_few || accesses_per_element(*other, then) < accesses_per_element(k, now)) k = std::move(*other);
    }

    /// Runs groups of a warp or more one after the other that read the same elements. Of smaller groups a warp's read
    /// neighbours.
    void bring_readers_together(loop_nest& k) const {
        const std::int64_t cached = static_cast<std::int64_t>(to_.device.l2_bytes) / 2;
        std::optional<loop_nest> other = with_sharing_groups_together(k, cached);
        if (!other) return;
        const schedule now = choose_schedule(k, to_.device, alignments_of(k));
        if (now.form != schedule_form::rows || now.threads_per_output < 32 || now.grid_barrier) return;
        if (choose_schedule(*other, to_.device, alignments_of(*other)) == now) k = std::move(*other);
    }

    /// From the first element of each input's array to its last one; 0 of what a kernel stores for another one.
    std::vector<std::int64_t> spans_of(const loop_nest& k) const {
        std::vector<std::int64_t> all;
        for (const kernel_input& in : k.inputs) {
            std::int64_t& span = all.emplace_back(0);
            if (in.leaf >= b_.program->leaves) continue;
            const detail::storage& array = *b_.arguments.leaves[in.leaf].get();
            span = 1;
            for (int a = 0; a < array.rank; ++a) span += std::abs(array.strides[a]) * (array.extents[a] - 1);
        }
        return all;
    }

    void add(loop_nest k) {
        choose_precision(k, how_.fast_math);
        for (kernel_input& in : k.inputs)
            for (int r : k.results)
                if (r >= 0 && (made_.in_place >> r & 1) && in.leaf < b_.program->leaves)
                    in.may_alias_output =
                        in.may_alias_output || shares_memory(*b_.arguments.leaves[in.leaf].get(), b_.results[r]);
        if (!to_.is_host) {
            widen_accesses(k);
            bring_readers_together(k);
            narrow_index_types(k, spans_of(k));
            reduce_strength(k);
            share_reciprocals(k);
            separate_numbers(k);
            for (loop_nest& function : k.element_functions) {
                reduce_strength(function);
                separate_numbers(function);
            }
        }
        compiled_kernel& c = made_.kernels.emplace_back();
        c.body = std::move(k);
        c.alignment = alignments_of(c.body);
        const bool empty = stores_nothing(c.body);
        if (!empty && to_.library) c.product = as_gemm(c.body);
        if (c.product && !to_.library(*c.product, c.alignment)) c.product.reset();
        if (c.product || c.body.call || to_.is_host) return;
        c.chosen =
            how_.choose && !empty ? how_.choose(c.body, c.alignment) : choose_schedule(c.body, to_.device, c.alignment);
    }

    const bindings& b_;
    const target& to_;
    const compile_settings& how_;
    std::string* trace_ = how_.trace;  ///< null after the first run
    compiled_program made_;
    std::array<cut_memo, 2> known_cuts_;  ///< by predicted_time
    mutable kernel_memo made_kernels_;
    mutable kernel_times times_{b_, to_};
    mutable loop_nest_memo<bool> pays_online_;  ///< whether an online softmax does
};

}  // namespace

compiled_program compile(const bindings& b, const target& to, const compile_settings& how) {
    return compilation(b, to, how).run();
}

}  // namespace sinter::codegen
