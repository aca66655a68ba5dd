// How long products of halves take by cuBLASLt, and products that tensor cores may multiply where they are apart.
#include <codegen/schedule/tensor.hpp>

#include <codegen/schedule/contraction_cost.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/library_cost.hpp>
#include <codegen/schedule/tensor_rates.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace sinter::codegen {
namespace {

// Fitted on an H200: see tensor_cost.cpp.
constexpr double of_odd_rows = 1 / 7.0;        ///< of cuBLASLt's rate, where rows begin at any element,
constexpr double of_even_rows = 1 / 2.6;       ///< or at pairs
constexpr double library_latency = 4.7e-9;     ///< seconds a step
constexpr double max_steps_of_library = 1024;  ///< one after the other: more are parted among blocks

/// The part of the rate of cuBLASLt's products of halves that the alignment of rows leaves.
double part_of_library_rate(const gemm& g) {
    if (!is_half(g.a.type) || has_aligned_rows(g)) return 1;
    const bool even = g.a.leading % 2 == 0 && g.b.leading % 2 == 0 && g.d.leading % 2 == 0;
    return even ? of_even_rows : of_odd_rows;
}

}  // namespace

double library_seconds(const gemm& g, const device_properties& m) {
    double batches = static_cast<double>(g.batch.extent);
    for (const gemm_batch& b : g.batches) batches *= static_cast<double>(b.extent);
    const auto rows = static_cast<double>(g.rows), columns = static_cast<double>(g.columns);
    const auto depth = static_cast<double>(g.depth);
    const double bytes = batches * (static_cast<double>(size_of(g.a.type)) * (rows + columns) * depth +
                                    static_cast<double>(size_of(g.d.type)) * rows * columns);
    const double per_second =
        m.multiprocessors * sustained_clock(m) * of_tensor_cores * architecture_of(m.arch).tensor_products;
    const double multiplying = batches * rows * columns * depth / (per_second * part_of_library_rate(g));
    const double waiting = library_latency * std::min(depth, max_steps_of_library);
    return launch_of_tensors + std::max({multiplying, waiting, seconds_of_bytes(bytes, m)});
}

std::vector<int> aligned(const loop_nest& k) { return std::vector<int>(k.inputs.size() + k.outputs.size(), 16); }

double aligned_seconds(const loop_nest& k, const device_properties& m) {
    return predicted_seconds(k, choose_schedule(k, m, aligned(k)), m);
}

double product_seconds(const loop_nest& k, const device_properties& m) {
    const std::optional<gemm> by_library = as_gemm(k);
    if (by_library && is_half(by_library->a.type)) return library_seconds(*by_library, m);
    if (const std::optional<schedule> by_kernel = schedule_tensor(k, m, aligned(k)))
        return tensor_seconds(k, *by_kernel, m);
    if (!split_factors_of(k)) return std::numeric_limits<double>::infinity();
    if (by_library && is_product_of_floats(*by_library)) return seconds_of_floats(*by_library, m);
    const schedule s = choose_schedule(k, m, aligned(k));
    const double least = predicted_seconds(k, s, m);
    return s.form == schedule_form::contraction ? std::max(least, contraction_seconds(k, s, m)) : least;
}

}  // namespace sinter::codegen
