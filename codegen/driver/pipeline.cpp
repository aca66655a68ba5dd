// Cuts a program and makes its kernels.
#include <codegen/driver/pipeline.hpp>

#include <codegen/autodiff/gradient.hpp>
#include <codegen/driver/kernel_memo.hpp>
#include <codegen/driver/make_kernel.hpp>
#include <codegen/transforms/cut_moves.hpp>
#include <codegen/transforms/flatten.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

/// Fuses products with what computes their operands and with what reads them.
class product_fusion {
public:
    product_fusion(std::vector<graph>& parts, int leaves, std::string* trace, const library_choice& library_takes,
                   const kernel_cost& seconds, operand_joins& how, kernel_memo& made)
        : parts_(parts),
          leaves_(leaves),
          trace_(trace),
          library_takes_(library_takes),
          seconds_(seconds),
          how_(how),
          made_(made) {}

    /// Returns the parts that have become unused.
    std::vector<int> run() {
        if (seconds_) join_operands();
        fuse_epilogues();
        std::sort(unused_.begin(), unused_.end());
        return std::move(unused_);
    }

private:
    /// Fuses products with the computation of their operands, where that is faster.
    void join_operands() {
        for (int p = 0; p < static_cast<int>(parts_.size()); ++p) {
            const graph& part = parts_[p];
            const bool passed_on = part.roots.size() == 1 && part.roots[0].result < 0 && !is_call(part);
            const int stored = leaf_of(p), reader = passed_on ? only_reader(parts_, stored) : -1;
            if (reader < 0 || is_call(parts_[reader])) continue;
            std::optional<graph> both = join_operand(part, parts_[reader], stored);
            if (!both || !std::isfinite(seconds_(made_.kernel_of(*both)))) continue;
            const int choice = how_.choices++;
            const bool changed = choice < 32 && (how_.changed >> choice & 1) != 0;
            if (is_faster(*both, part, parts_[reader]) != changed) replace(p, reader, std::move(*both));
        }
    }

    /// Fuses products with their readers, unless a library supports the product but not the fused kernel and is faster.
    void fuse_epilogues() {
        for (int p = 0; p < static_cast<int>(parts_.size()); ++p) {
            const graph& part = parts_[p];
            const bool passed_on = part.product != ir::product::none && part.roots[0].result < 0;
            const int stored = leaf_of(p), reader = passed_on ? only_reader(parts_, stored) : -1;
            if (reader < 0) continue;
            std::optional<graph> both = fuse_epilogue(part, parts_[reader], stored);
            if (!both) continue;
            if (library_takes_ && library_takes_(made_.kernel_of(part)) && !library_takes_(made_.kernel_of(*both)) &&
                !is_faster(*both, part, parts_[reader]))
                continue;
            replace(p, reader, std::move(*both));
        }
    }

    int leaf_of(int part) const { return leaves_ + temporaries_before(parts_, part); }

    /// Whether one fused kernel is predicted to be faster than two.
    bool is_faster(const graph& both, const graph& first, const graph& second) {
        return seconds_ &&
               seconds_(made_.kernel_of(both)) < seconds_(made_.kernel_of(first)) + seconds_(made_.kernel_of(second));
    }

    void replace(int part, int reader, graph both) {
        record(trace_, "fuse-epilogue", both);
        parts_[reader] = std::move(both);
        parts_[part].nodes.clear();  // the root still counts as a temporary
        unused_.push_back(part);
    }

    std::vector<graph>& parts_;
    const int leaves_;
    std::string* const trace_;
    const library_choice& library_takes_;
    const kernel_cost& seconds_;
    operand_joins& how_;
    kernel_memo& made_;
    std::vector<int> unused_;
};

}  // namespace

kernel_cut cut_program(const ir::program& program, const detail::arguments_view& arguments, std::string* trace,
                       const result_strides& strides, fusion mode, const cut_cost& cost) {
    graph whole = bind(program, arguments);
    for (std::size_t r = 0; r < whole.roots.size(); ++r)
        if (strides[r] != nullptr) {
            std::copy_n(strides[r], whole.nodes[whole.roots[r].node].rank, whole.roots[r].strides.begin());
            whole.roots[r].placed = true;
        }
    record(trace, "bind", whole);
    if (!program.gradients) return choose_cut(program, arguments.integers, whole, mode, cost);
    expand_gradients(whole);
    whole = with_distinct_nodes(std::move(whole));
    record(trace, "differentiate", whole);
    const flat_program expanded(whole);
    // equal values are merged, and products' operands are materialized
    std::vector<kernel_roots> kernels =
        kernels_of(expanded.view(), expanded.integers.data(), whole, weight::ranks, mode);
    return {std::move(whole), std::move(kernels)};
}

std::optional<kernel_cut> cut_with_statistics(const kernel_cut& cut) {
    if (!with_stored_statistics(cut.whole)) return std::nullopt;
    graph sums = cut.whole;
    if (std::optional<graph> other = with_reassociated_sums(sums)) {
        sums = std::move(*other);
        cse(sums);
        eliminate_dead_code(sums);
    }
    std::optional<graph> whole = with_stored_statistics(sums);
    if (!whole) return std::nullopt;
    const flat_program flat(*whole);
    std::vector<kernel_roots> kernels =
        kernels_of(flat.view(), flat.integers.data(), *whole, weight::ranks, fusion::on);
    return kernel_cut{std::move(*whole), std::move(kernels)};
}

std::vector<loop_nest> make_kernels(std::vector<graph> parts, int leaves, std::string* trace, fusion mode,
                                    const library_choice& library_takes, const kernel_cost& seconds,
                                    operand_joins* joins, kernel_memo* made) {
    std::vector<int> joined;
    operand_joins where_faster;
    kernel_memo of_this_cut;
    if (!made) made = &of_this_cut;
    if (mode == fusion::on)
        joined =
            product_fusion(parts, leaves, trace, library_takes, seconds, joins ? *joins : where_faster, *made).run();
    std::vector<loop_nest> kernels;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (std::find(joined.begin(), joined.end(), static_cast<int>(i)) != joined.end()) {
            kernels.emplace_back().outputs.resize(1);  // placeholder among the temporaries until drop_kernel
            continue;
        }
        record(trace, "partition", parts[i]);
        kernels.push_back(trace ? make_kernel(std::move(parts[i]), trace) : made->kernel_of(std::move(parts[i])));
        loop_nest& k = kernels.back();
        if (k.product != ir::product::none && !(library_takes && library_takes(k))) k.product = ir::product::none;
    }
    for (auto p = joined.rbegin(); p != joined.rend(); ++p) drop_kernel(kernels, leaves, *p, -1);
    // Fused kernels are merged later, when a device is known. Without fusion, equal kernels are merged here.
    if (mode == fusion::off) merge_identical_kernels(kernels, leaves);
    return kernels;
}

std::vector<loop_nest> make_kernels(const ir::program& program, const detail::arguments_view& arguments,
                                    std::string* trace) {
    return make_kernels(partition(cut_program(program, arguments, trace)), program.leaves, trace);
}

}  // namespace sinter::codegen
