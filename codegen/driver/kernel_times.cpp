// Predicts kernels: by their schedules where these matter, by a library's model where it computes them.
#include <codegen/driver/kernel_times.hpp>

#include <codegen/analysis/alignment.hpp>
#include <codegen/cost/call_cost.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/schedule/contraction_cost.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/library_cost.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

/// A library's product is replaced by a kernel below this fraction of its predicted time.
constexpr double worth_replacing_library = 0.7;

}  // namespace

const schedule& kernel_times::own_schedule(const loop_nest& k) { return scheduled(k, alignments(k, b_, false)); }

const schedule& kernel_times::scheduled(const loop_nest& k, const std::vector<int>& alignment) {
    return schedules_.value_of(k, alignment, [this](const loop_nest& of, const std::vector<int>& aligned) {
        return choose_schedule(of, to_.device, aligned);
    });
}

double kernel_times::own_seconds(const loop_nest& k, const schedule& s) const {
    return time_of(k, s, to_.device).total();
}

bool kernel_times::is_faster_by_kernel(const loop_nest& k, const gemm& product) {
    const bool of_floats = is_product_of_floats(product), of_halves = is_half(product.a.type);
    if (!of_floats && (!of_halves || has_aligned_rows(product))) return false;
    const schedule& s = own_schedule(k);
    return s.form == (of_floats ? schedule_form::contraction : schedule_form::tensor) &&
           seconds_by_kernel(k, s) < worth_replacing_library * seconds_by_library(product);
}

double kernel_times::seconds_by_library(const gemm& product) const {
    return is_product_of_floats(product) ? seconds_of_floats(product, to_.device)
                                         : library_seconds(product, to_.device);
}

/// Predicted seconds of our own kernel of a product. Bytes and operations alone take less than tiles of floats do.
double kernel_times::seconds_by_kernel(const loop_nest& k, const schedule& s) const {
    const double least = own_seconds(k, s);
    return s.form == schedule_form::contraction && k.nest_axis < 0
               ? std::max(least, contraction_seconds(k, s, to_.device))
               : least;
}

double kernel_times::seconds_of(const loop_nest& k, bool by_library) {
    if (by_library) return seconds_by_library(as_gemm(k).value());
    const schedule& s = own_schedule(k);
    if (s.form == schedule_form::tensor || k.product == ir::product::none) return own_seconds(k, s);
    if (s.form != schedule_form::contraction || k.nest_axis >= 0) return std::numeric_limits<double>::infinity();
    return seconds_by_kernel(k, s) / worth_replacing_library;
}

/// A library's product of halves by its model; of other numbers, of which there is none, as a kernel of ours. Small
/// ones by whichever takes less: where cuts differ by what two models take a launch for, they are alike.
double kernel_times::plain_seconds(const loop_nest& k, const schedule& s, std::int64_t bytes) const {
    const std::optional<gemm> product = as_gemm(k);
    if (!product) return time_of(k, s, to_.device, bytes).total();
    const double by_kernel = own_seconds(k, {});
    return is_half(product->a.type) ? std::min(by_kernel, library_seconds(*product, to_.device)) : by_kernel;
}

/// The prediction of a kernel that a cut has.
cut_prediction kernel_times::predicted(const loop_nest& k, const std::vector<int>& alignment, predicted_time kind) {
    if (kind == predicted_time::plain && k.loops.empty())  // bytes and instructions are those of any schedule
        return {1, own_seconds(k, {}), static_cast<double>(bytes_moved(k, {}, to_.device))};
    loop_nest run = k;  // as `add` makes it
    share_reciprocals(run);
    const schedule& s = scheduled(run, alignment);
    const std::int64_t moved = bytes_moved(run, s, to_.device);
    const auto bytes = static_cast<double>(moved);
    const double seconds = plain_seconds(run, s, moved);
    if (kind == predicted_time::plain || !is_modelled(s)) return {1, seconds, bytes, seconds};
    return {1, std::max(seconds, predicted_seconds(run, s, to_.device)), bytes,
            launch_seconds + bytes / to_.device.bytes_per_second};
}

cut_prediction kernel_times::prediction_of(std::vector<loop_nest> kernels, predicted_time kind,
                                           const cut_limit& limit) {
    const bool grows =
        std::none_of(kernels.begin(), kernels.end(), [](const loop_nest& k) { return k.call.has_value(); });
    cut_prediction sum{kernels.size()};
    for (loop_nest& k : kernels) {
        if (sum.launches > limit.launches || (grows && limit.is_exceeded_by(sum))) {
            sum.is_complete = false;
            return sum;
        }
        cut_prediction one;
        if (k.call) {
            one.seconds = one.least_seconds = seconds_of_functions(k, to_.device);
            one.bytes = static_cast<double>(bytes_of_functions(k));
        } else {
            const auto predict = [&](const loop_nest& of, const std::vector<int>& alignment) {
                return predicted(of, alignment, kind);
            };
            std::vector<int> alignment = alignments(k, b_, false);
            one = predictions_[static_cast<std::size_t>(kind)].value_of(std::move(k), std::move(alignment), predict);
        }
        sum.seconds += one.seconds;
        sum.bytes += one.bytes;
        sum.least_seconds += one.least_seconds;
    }
    return sum;
}

}  // namespace sinter::codegen
