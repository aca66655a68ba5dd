// From a program to scheduled kernels.
#include <codegen/driver/compile.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/analysis/alignment.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/driver/pipeline.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Whether a library computes a kernel's result by several calls, of which a later one may fail.
bool takes_several_calls(const kernel& k) {
    const std::optional<gemm> product = as_gemm(k);
    return product && !product->batches.empty();
}

/// The results that something is stored of before what is launched last: an evaluation may fail then.
std::uint32_t early_results(const std::vector<kernel>& kernels) {
    std::uint32_t early = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k)
        for (int r : kernels[k].results)
            if (r >= 0 && (k + 1 < kernels.size() || takes_several_calls(kernels[k]))) early |= 1u << r;
    return early;
}

/// Whether these strides take elements to where an array of their own has them.
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
        std::vector<kernel> kernels = make(strides);
        while (place_results(kernels, strides)) kernels = make(strides);
        for (kernel& k : kernels) add(std::move(k));
        return std::move(made_);
    }

private:
    std::vector<kernel> make(const result_strides& strides) {
        const cut_cost cost = [this](const kernel_cut& cut) {
            const std::vector<kernel> all = kernels_of_cut(cut, nullptr);
            return cut_prediction{all.size(), predicted_seconds(all)};
        };
        std::string* const trace = std::exchange(trace_, nullptr);
        made_.cut =
            cut_program(*b_.program, b_.arguments, trace, strides, how_.mode, fuses_by_schedule() ? cost : cut_cost());
        return kernels_of_cut(made_.cut, trace);
    }

    std::vector<kernel> kernels_of_cut(const kernel_cut& cut, std::string* trace) const {
        const auto takes = [this](const kernel& k) {
            const std::optional<gemm> product = as_gemm(k);
            return product && to_.library(*product, alignments(k, b_, false));
        };
        std::vector<kernel> all = make_kernels(cut, b_.program->leaves, trace, how_.mode,
                                               to_.library ? library_choice(takes) : library_choice());
        if (!fuses_by_schedule()) return all;
        return merge_kernels(std::move(all), b_.program->leaves, to_.device);
    }

    /// Whether the schedules that kernels would have decide which there are.
    bool fuses_by_schedule() const { return !to_.is_host && how_.mode == fusion::on; }

    /// A product counts as a kernel of ours does, since no model of a library is known.
    double predicted_seconds(const std::vector<kernel>& kernels) const {
        double sum = 0;
        for (const kernel& k : kernels) {
            if (k.call) continue;  // the same in every cut
            const bool is_product = k.product != ir::product::none;
            const schedule s = is_product ? schedule{} : choose_schedule(k, to_.device, alignments(k, b_, false));
            sum += time_of(k, s, to_.device).total();
        }
        return sum;
    }

    /// Decides of each result whether it is written where it shall go or elsewhere first: so is one that overwrites
    /// what is still read, and one of those that are copied in the end, if fresh memory has not its strides. Returns
    /// whether kernels are to be made for other strides, which may cut the program in another way.
    bool place_results(const std::vector<kernel>& kernels, result_strides& strides) {
        bool changed = false;
        made_.in_place = 0;
        made_.early = early_results(kernels);
        for (int r = 0; b_.results && r < b_.program->root_count; ++r) {
            const bool shared = shared_leaf(b_, r) >= 0, is_early = made_.early >> r & 1;
            const bool safe = !shared || overwrites_safely(kernels, b_, r);
            const bool as_array = is_early || is_of_call(kernels, r);
            const bool fits = !as_array || !strides[r] || is_row_major(strides[r], b_.results[r]);
            if (!safe || !fits) made_.by_detour |= 1u << r;
            const bool elsewhere = made_.by_detour >> r & 1;
            if (shared && !elsewhere) made_.in_place |= 1u << r;
            if (!elsewhere || !strides[r]) continue;
            strides[r] = nullptr;
            changed = true;
        }
        return changed;
    }

    /// Whether a call makes the result: its function writes arrays in row-major order alone.
    static bool is_of_call(const std::vector<kernel>& kernels, int r) {
        return std::any_of(kernels.begin(), kernels.end(), [r](const kernel& k) {
            return k.call && std::find(k.results.begin(), k.results.end(), r) != k.results.end();
        });
    }

    void add(kernel k) {
        choose_precision(k, how_.fast_math);
        for (kernel_input& in : k.inputs)
            for (int r : k.results)
                if (r >= 0 && (made_.in_place >> r & 1) && in.leaf < b_.program->leaves)
                    in.may_alias_output =
                        in.may_alias_output || shares_memory(*b_.arguments.leaves[in.leaf].get(), b_.results[r]);
        compiled_kernel& c = made_.kernels.emplace_back();
        c.body = std::move(k);
        c.alignment = alignments(c.body, b_, made_.by_detour == 0);
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
    std::string* trace_ = how_.trace;  ///< of the first run alone
    compiled_program made_;
};

}  // namespace

compiled_program compile(const bindings& b, const target& to, const compile_settings& how) {
    return compilation(b, to, how).run();
}

}  // namespace sinter::codegen
