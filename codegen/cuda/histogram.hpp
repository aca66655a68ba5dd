// The kernels that count elements by bin.
#pragma once

#include <codegen/cuda/print_element.hpp>
#include <sinter/dtype.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace sinter::codegen {

/// `integers` counts integers, each a bin of its own, in shared memory; `paired_integers` likewise, by pairs of
/// counters of 16 bits in dynamic shared memory, for more bins; `many_integers` in global memory. `few_edges` and
/// `many_edges` count the elements between neighbouring edges; the first keeps the edges in shared memory, with a table
/// of where to search (number/bins.hpp). `store` makes int64 of what the blocks have counted together.
enum class histogram_kernel : std::uint8_t { integers, paired_integers, many_integers, few_edges, many_edges, store };

/// Threads per block, and the maximum of reads of 16 bytes that a thread has in flight.
inline constexpr int histogram_block = 256, paired_block = 1024;
constexpr int threads_of(histogram_kernel which) {
    return which == histogram_kernel::paired_integers ? paired_block : histogram_block;
}
inline constexpr int histogram_reads = 4;

/// Bins that a block counts in static shared memory at most, of integers and between edges, which are there, too.
inline constexpr std::int64_t max_shared_bins = 8192, max_few_edges_bins = 2048;

/// Dynamic shared memory for pairs of counters of 16 bits.
constexpr std::int64_t pair_bytes(std::int64_t bins) { return (bins + 1) / 2 * 4; }

/// What the source depends on.
struct histogram_source {
    histogram_kernel which{};
    dtype type{};
    int capacity = 0;          ///< `integers`, `few_edges`: bins that a block has counters of
    bool wide_totals = false;  ///< there are 2^32 elements or more
};

/// Bins as sources know them: a power of two, so that one source serves many histograms.
constexpr int bin_capacity(std::int64_t bins) {
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bins, 32))));
}

/// The kernel's name in its source: count_integers.
const char* histogram_name(histogram_kernel which);

/// A complete translation unit. `elements`: a function in place of the array of elements; null: the array.
std::string histogram_text(const histogram_source& s, const printed_element* elements = nullptr);

}  // namespace sinter::codegen
