// The text of the kernels that count elements by bin. A block has counters of its own in shared memory, where they
// fit, and adds what it has counted to the totals once. Counts are integers: the order of additions does not matter.
#include <codegen/cuda/histogram.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/named_text.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* block_text = R"(
// Elements that one read moves.
constexpr int lanes = 16 / sizeof(element);
struct alignas(16) pack { element part[lanes]; };

// Each bin has several counters in shared memory, of which neighbouring lanes take different ones: neighbours are often
// equal, and additions to one counter wait for each other.
constexpr int copies = capacity == 0 ? 1 : capacity >= 4096 ? 1 : capacity * 32 <= 4096 ? 32 : 4096 / capacity;
constexpr int counters = capacity == 0 ? 1 : capacity * copies;

// Called by all lanes of a warp together; no bin is -1.
__device__ void count_one(unsigned* seen, total* totals, const long long bin)
{
    if constexpr (capacity > 0) {
        if (bin >= 0) atomicAdd(&seen[int(bin) * copies + int(threadIdx.x & (copies - 1))], 1u);
    } else {
        // Additions to one address of global memory wait for each other: of a constant array, a warp makes one.
        const bool is_one_bin = __all_sync(0xffffffffu, bin == __shfl_sync(0xffffffffu, bin, 0));
        const bool adds = bin >= 0 && (!is_one_bin || (threadIdx.x & 31u) == 0);
        if (adds) atomicAdd(&totals[bin], total(is_one_bin ? 32 : 1));
    }
}

__device__ void clear_counters(unsigned* seen)
{
    for (int i = threadIdx.x; i < counters; i += 256) seen[i] = 0;
}

// Counts the block's share of the elements. What lies before the first address that 16 divides, and what is left behind
// the last whole pack, is less than 32 elements: the first block counts them one by one.
template <class Bins>
__device__ void count_elements(unsigned* seen, total* totals, const element* __restrict__ elements,
                               const long long count, const Bins& bin_of)
{
    const unsigned misplaced = unsigned(reinterpret_cast<unsigned long long>(elements) & 15u);
    const long long before = ((16u - misplaced) & 15u) / sizeof(element), head = before < count ? before : count;
    const long long packs = (count - head) / lanes, tail = head + packs * lanes, stride = gridDim.x * 256ll;
    const pack* const source = reinterpret_cast<const pack*>(elements + head);
    for (long long base = blockIdx.x * 256ll; base < packs; base += reads * stride) {
        pack held[reads];
#pragma unroll
        for (int i = 0; i < reads; ++i) {
            const long long at = base + i * stride + threadIdx.x;
            if (at < packs) held[i] = source[at];
        }
#pragma unroll
        for (int i = 0; i < reads; ++i) {
            const bool inside = base + i * stride + threadIdx.x < packs;
#pragma unroll
            for (int e = 0; e < lanes; ++e)
                count_one(seen, totals, inside ? (long long)bin_of(value_of(held[i].part[e])) : -1ll);
        }
    }
    if (blockIdx.x > 0) return;
    const long long at = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    count_one(seen, totals, at < count ? (long long)bin_of(value_of(elements[at])) : -1ll);
}

// Adds the block's counters to the totals; the only block of a grid stores them as the result.
__device__ void add_counters(const unsigned* seen, index_type* results, total* totals, const long long bins)
{
    if (capacity == 0) return;
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += 256) {
        unsigned sum = 0;
        for (int c = 0; c < copies; ++c) sum += seen[bin * copies + int((threadIdx.x + c) & (copies - 1))];
        if (gridDim.x == 1)
            results[bin] = sum;
        else if (sum > 0)
            atomicAdd(&totals[bin], total(sum));
    }
}
)";

constexpr const char* integers_text = R"(
struct integer_bins {
    long long bins;
    __device__ long long operator()(const value x) const
    {
        return (unsigned long long)x < (unsigned long long)bins ? (long long)x : -1ll;
    }
};

extern "C" __global__ void __launch_bounds__(256, 3) count_integers(
    index_type* __restrict__ results, total* __restrict__ totals, const element* __restrict__ elements,
    const long long count, const long long bins)
{
    __shared__ unsigned seen[counters];
    clear_counters(seen);
    __syncthreads();
    count_elements(seen, totals, elements, count, integer_bins{bins});
    add_counters(seen, results, totals, bins);
}
)";

constexpr const char* few_edges_text = R"(
constexpr int cells = capacity * 4 < 4096 ? capacity * 4 : 4096;

struct near_edges {
    const value* at;
    __device__ value operator()(const int i) const { return at[i]; }
};

struct edge_bins {
    near_edges edge;
    const unsigned short* before;  // how many edges lie in the cells before each cell
    int bins;
    position low, scale;
    __device__ int operator()(const value x) const
    {
        const int cell = cell_of<position>(position(x), low, scale, cells);
        const int not_above = edges_not_above<value, int>(x, edge, before[cell], before[cell + 1]);
        return bin_of_edges<value, int>(x, edge, bins, not_above);
    }
};

extern "C" __global__ void __launch_bounds__(256, 3) count_between_few_edges(
    index_type* __restrict__ results, total* __restrict__ totals, const element* __restrict__ elements,
    const element* __restrict__ given, const long long count, const long long bins)
{
    __shared__ unsigned seen[counters];
    __shared__ value edges[capacity + 1];
    __shared__ unsigned short before[cells + 1];
    clear_counters(seen);
    for (int i = threadIdx.x; i <= bins; i += 256) edges[i] = value_of(given[i]);
    __syncthreads();
    const near_edges edge{edges};
    const position low = position(edges[0]), scale = cell_scale<position>(low, position(edges[bins]), cells);
    for (int cell = threadIdx.x; cell <= cells; cell += 256) {
        const int found = edges_before_cell<position>(edge, int(bins) + 1, cell, low, scale, cells);
        before[cell] = (unsigned short)found;
    }
    __syncthreads();
    count_elements(seen, totals, elements, count, edge_bins{edge, before, int(bins), low, scale});
    add_counters(seen, results, totals, bins);
}
)";

constexpr const char* many_edges_text = R"(
struct far_edges {
    const element* at;
    __device__ value operator()(const long long i) const { return value_of(at[i]); }
};

struct edge_bins {
    far_edges edge;
    long long bins;
    __device__ long long operator()(const value x) const
    {
        const long long not_above = edges_not_above<value, long long>(x, edge, 0, bins + 1);
        return bin_of_edges<value, long long>(x, edge, bins, not_above);
    }
};

extern "C" __global__ void __launch_bounds__(256, 2) count_between_many_edges(
    index_type* __restrict__, total* __restrict__ totals, const element* __restrict__ elements,
    const element* __restrict__ given, const long long count, const long long bins)
{
    count_elements(nullptr, totals, elements, count, edge_bins{far_edges{given}, bins});
}
)";

constexpr const char* store_counts_text = R"(
extern "C" __global__ void __launch_bounds__(256) store_counts(
    index_type* __restrict__ results, const total* __restrict__ totals, const long long bins)
{
    const long long bin = blockIdx.x * 256ll + threadIdx.x;
    if (bin < bins) results[bin] = (long long)totals[bin];
}
)";

named_text text_of(histogram_kernel which) {
    switch (which) {
        case histogram_kernel::integers: return {"count_integers", integers_text};
        case histogram_kernel::few_edges: return {"count_between_few_edges", few_edges_text};
        case histogram_kernel::many_edges: return {"count_between_many_edges", many_edges_text};
        case histogram_kernel::store: break;
    }
    return {"store_counts", store_counts_text};
}

/// An element, the value that it is compared as, and the floating type that cells are computed in.
std::string element_text(dtype type) {
    const char* const element = cuda_name(type == dtype::bool_ ? dtype::uint8 : type);
    return fmt::format(
        "typedef {} element;\ntypedef {} value;\ntypedef {} position;\n"
        "__device__ value value_of(const element x) {{ return value(x); }}\n",
        element, is_half(type) ? "float" : element, size_of(type) == 8 ? "double" : "float");
}

}  // namespace

const char* histogram_name(histogram_kernel which) { return text_of(which).name; }

std::string histogram_text(const histogram_source& s) {
    std::string text = fmt::format("typedef long long index_type;\ntypedef {} total;\n",
                                   s.wide_totals ? "unsigned long long" : "unsigned");
    if (s.which != histogram_kernel::store)
        text += fmt::format("constexpr int capacity = {}, reads = {};\n{}{}", s.capacity, histogram_reads,
                            element_text(s.type), block_text);
    text += text_of(s.which).text;
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
