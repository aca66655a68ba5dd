// A model of cuBLASLt 13.0's float32 and float64 products, fitted to 20 of them on an H200 (bench/NOTES.md, *Sums that
// blocks share*): within a quarter of most, but a third of the time for 64 x 64 results, and 2.5 times it for 16 x 16.
#include <codegen/schedule/library_cost.hpp>

#include <codegen/ir/round.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::codegen {

namespace {

constexpr std::int64_t tile_side_of_library = 64;  ///< of a tile of results
constexpr double part_of_peak = 0.66;              ///< of the multiplications per second, in tiles
constexpr double float64_per_float32 = 0.77;       ///< float64's on tensor cores, over float32's
constexpr double step_seconds = 29e-9;             ///< of a block that waits for its slices
constexpr double call_seconds = 3e-6, call_with_shares_seconds = 9e-6;

}  // namespace

bool is_product_of_floats(const gemm& g) {
    return (g.computed_in == dtype::float32 && g.a.type == dtype::float32 && !g.tf32) ||
           g.computed_in == dtype::float64;
}

double seconds_of_floats(const gemm& g, const device_properties& m) {
    double matrices = static_cast<double>(g.batch.extent), calls = 1;
    for (const gemm_batch& b : g.batches) calls *= static_cast<double>(b.extent);
    const auto tiles =
        static_cast<double>(divide_up(g.rows, tile_side_of_library) * divide_up(g.columns, tile_side_of_library));
    const auto depth = static_cast<double>(g.depth), multiprocessors = static_cast<double>(m.multiprocessors);
    // blocks divide the steps of one matrix's few tiles, but not of a batch's
    const double shares = matrices > 1 ? 1 : std::max(1.0, std::floor(multiprocessors / tiles));
    const double rate =
        part_of_peak * m.operations_per_second * (g.computed_in == dtype::float64 ? float64_per_float32 : 1);
    const double multiplying = matrices * tiles * tile_side_of_library * tile_side_of_library * depth / rate;
    const double waiting = step_seconds * depth / shares * std::ceil(matrices * tiles / (2 * multiprocessors));
    return calls * ((shares > 1 ? call_with_shares_seconds : call_seconds) + std::max(multiplying, waiting));
}

}  // namespace sinter::codegen
