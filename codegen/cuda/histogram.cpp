// The text of the kernels that count elements by bin. A block has counters of its own in shared memory, where they
// fit, and adds what it has counted to the totals once. Counts are integers: the order of additions does not matter.
#include <codegen/cuda/histogram.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/named_text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr const char* block_text = R"(
// Elements that one read moves.
constexpr int lanes = 16 / sizeof(element);
struct alignas(16) pack { element part[lanes]; };

// Counts the block's share of the elements: `add` is called by all lanes of a warp together, with -1 for no bin. What
// lies before the first address that 16 divides, and what is left behind the last whole pack, is less than 32 elements:
// the first block counts them one by one.
template <class Bins, class Add>
__device__ void count_elements(const element* __restrict__ elements, const long long count, const Bins& bin_of,
                               const Add& add)
{
    const unsigned misplaced = unsigned(reinterpret_cast<unsigned long long>(elements) & 15u);
    const long long before = ((16u - misplaced) & 15u) / sizeof(element), head = before < count ? before : count;
    const long long packs = (count - head) / lanes, tail = head + packs * lanes;
    const long long stride = gridDim.x * (long long)threads;
    const pack* const source = reinterpret_cast<const pack*>(elements + head);
    long long base = blockIdx.x * (long long)threads;
    for (; base + (reads - 1) * stride + threads <= packs; base += reads * stride) {
        pack held[reads];
#pragma unroll
        for (int i = 0; i < reads; ++i) held[i] = source[base + i * stride + threadIdx.x];
#pragma unroll
        for (int i = 0; i < reads; ++i)
#pragma unroll
            for (int e = 0; e < lanes; ++e) add(bin_of(value_of(held[i].part[e])));
    }
    for (; base < packs; base += stride) {
        const bool inside = base + threadIdx.x < packs;
        pack held;
        if (inside) held = source[base + threadIdx.x];
#pragma unroll
        for (int e = 0; e < lanes; ++e) add(inside ? bin_of(value_of(held.part[e])) : -1);
    }
    if (blockIdx.x > 0) return;
    const long long at = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    add(at < count ? bin_of(value_of(elements[at])) : -1);
}
)";

constexpr const char* function_block_text = R"(
// Counts the block's share of the elements that a function computes, one per thread and step.
template <class Elements, class Bins, class Add>
__device__ void count_elements(const Elements& elements, const long long count, const Bins& bin_of, const Add& add)
{
    const long long stride = gridDim.x * (long long)threads;
    long long base = blockIdx.x * (long long)threads;
    for (; base + (reads - 1) * stride + threads <= count; base += reads * stride) {
        value held[reads];
#pragma unroll
        for (int i = 0; i < reads; ++i) held[i] = value_of(elements[base + i * stride + threadIdx.x]);
#pragma unroll
        for (int i = 0; i < reads; ++i) add(bin_of(held[i]));
    }
    for (; base < count; base += stride) {
        const bool inside = base + threadIdx.x < count;
        add(inside ? bin_of(value_of(elements[base + threadIdx.x])) : -1);
    }
}
)";

constexpr const char* warp_text = R"(
// Whether all lanes have the same bin. Additions to one address wait for each other: of a constant array, a warp makes
// one.
template <class Bin>
__device__ bool is_one_bin(const Bin bin)
{
    return __all_sync(0xffffffffu, bin == __shfl_sync(0xffffffffu, bin, 0));
}
)";

constexpr const char* shared_text = R"(
// Each bin has several counters in shared memory, of which neighbouring lanes take different ones: neighbours are often
// equal, and additions to one counter wait for each other.
constexpr int copies = capacity * 32 <= 4096 ? 32 : capacity < 2048 ? 4096 / capacity : 1;

struct shared_counters {
    unsigned* own;
    __device__ shared_counters(unsigned* seen) : own(seen + int(threadIdx.x & (copies - 1))) {}
    __device__ void operator()(const int bin) const
    {
        if (bin >= 0) atomicAdd(own + bin * copies, 1u);
    }
};

__device__ void clear_counters(unsigned* seen)
{
    for (int i = threadIdx.x; i < capacity * copies; i += threads) seen[i] = 0;
}

// Adds the block's counters to the totals; the only block of a grid stores them as the result.
__device__ void add_counters(const unsigned* seen, index_type* results, total* totals, const long long bins)
{
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += threads) {
        unsigned sum = 0;
        for (int c = 0; c < copies; ++c) sum += seen[bin * copies + int((threadIdx.x + c) & (copies - 1))];
        if (gridDim.x == 1)
            results[bin] = sum;
        else if (sum > 0)
            atomicAdd(&totals[bin], total(sum));
    }
}
)";

constexpr const char* totals_text = R"(
struct total_counters {
    total* totals;
    __device__ void operator()(const long long bin) const
    {
        const bool one = is_one_bin(bin), adds = bin >= 0 && (!one || (threadIdx.x & 31u) == 0);
        if (adds) atomicAdd(&totals[bin], total(one ? 32 : 1));
    }
};
)";

constexpr const char* integer_bins_text = R"(
struct integer_bins {
    int bins;
    __device__ int operator()(const value x) const
    {
        const bool inside = sizeof(value) == 8 ? (unsigned long long)x < (unsigned long long)bins
                                               : unsigned(x) < unsigned(bins);
        return inside ? int(x) : -1;
    }
};
)";

constexpr const char* integers_text = R"(
extern "C" __global__ void __launch_bounds__(threads, 4) count_integers(
    index_type* __restrict__ results, total* __restrict__ totals, const element* __restrict__ elements,
    const long long count, const long long bins)
{
    __shared__ unsigned seen[capacity * copies];
    clear_counters(seen);
    __syncthreads();
    count_elements(elements, count, integer_bins{int(bins)}, shared_counters(seen));
    add_counters(seen, results, totals, bins);
}
)";

constexpr const char* paired_integers_text = R"(
// Two counters of 16 bits share a word of shared memory. An addition that carries out of a counter is seen by the one
// thread that makes it, which puts the totals right: these are integers modulo a power of two, so it may do so at any
// time. A carry out of the lower counter has added 1 to the upper one.
struct paired_counters {
    unsigned* pairs;
    total* totals;
    __device__ void operator()(const int bin) const
    {
        const bool one = is_one_bin(bin);
        if (bin < 0 || (one && (threadIdx.x & 31u) != 0)) return;
        const bool upper = (bin & 1) != 0;
        const unsigned more = (one ? 32u : 1u) << (upper ? 16 : 0), before = atomicAdd(&pairs[bin >> 1], more);
        const bool leaves_word = before + more < before;
        if (upper) {
            if (leaves_word) atomicAdd(&totals[bin], total(0x10000));
        } else if ((before & 0xffffu) + more > 0xffffu) {
            atomicAdd(&totals[bin], total(0x10000));
            atomicAdd(&totals[bin + 1], total(leaves_word ? 0xffff : -1));
        }
    }
};

extern "C" __global__ void __launch_bounds__(threads, 1) count_integers_in_pairs(
    index_type* __restrict__, total* __restrict__ totals, const element* __restrict__ elements,
    const long long count, const long long bins)
{
    extern __shared__ unsigned pairs[];
    for (int i = threadIdx.x; 2 * i < bins; i += threads) pairs[i] = 0;
    __syncthreads();
    count_elements(elements, count, integer_bins{int(bins)}, paired_counters{pairs, totals});
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += threads) {
        const unsigned seen = pairs[bin >> 1] >> 16 * (bin & 1) & 0xffffu;
        if (seen > 0) atomicAdd(&totals[bin], total(seen));
    }
}
)";

constexpr const char* many_integers_text = R"(
struct integer_bins {
    long long bins;
    __device__ long long operator()(const value x) const
    {
        return (unsigned long long)x < (unsigned long long)bins ? (long long)x : -1ll;
    }
};

extern "C" __global__ void __launch_bounds__(threads, 3) count_many_integers(
    index_type* __restrict__, total* __restrict__ totals, const element* __restrict__ elements,
    const long long count, const long long bins)
{
    count_elements(elements, count, integer_bins{bins}, total_counters{totals});
}
)";

constexpr const char* few_edges_text = R"(
constexpr int most_cells = sizeof(value) == 8 ? 1024 : 2048;  // 16 KB
constexpr int cells = capacity * 4 < most_cells ? capacity * 4 : most_cells;

struct near_edges {
    const value* at;
    __device__ value operator()(const int i) const { return at[i]; }
};

// How many edges lie before a cell and, times 2^16, in it, and the first of these: one is enough for most elements.
struct alignas(sizeof(value) == 8 ? 16 : 8) cell {
    value edge;
    unsigned found;
};

// Where edges are evenly spaced, a position in units of bins is its bin's number and a part within it. Positions
// never decrease with x, whatever the rounding: a part that is farther from an edge than all edges are from whole
// numbers has found the bin, without a look at the table.
struct even_edges {
    position low, per_bin, margin;  // a margin of 1: the edges are not evenly spaced
    __device__ position position_of(const value x) const { return (position(x) - low) * per_bin; }
};

struct edge_bins {
    near_edges edge;
    const cell* all_cells;
    int bins;
    position low, scale;
    even_edges even;
    __device__ int operator()(const value x) const
    {
        const position in_bins = even.position_of(x);
        const int whole = int(in_bins);
        const position part = in_bins - position(whole);
        if (part > even.margin && part < 1 - even.margin && whole < bins) return whole;
        const cell& own = all_cells[cell_of<position>(position(x), low, scale, cells)];
        const int before = int(own.found & 0xffffu), in_cell = int(own.found >> 16);
        int not_above = before + (int(in_cell > 0) & int(own.edge <= x));
        if (in_cell > 1) not_above = edges_not_above<value, int>(x, edge, before, before + in_cell);
        return bin_of_edges<value, int>(x, edge, bins, not_above);
    }
};

extern "C" __global__ void __launch_bounds__(threads, 3) count_between_few_edges(
    index_type* __restrict__ results, total* __restrict__ totals, const element* __restrict__ elements,
    const element* __restrict__ given, const long long count, const long long bins)
{
    __shared__ unsigned seen[capacity * copies];
    __shared__ cell all_cells[cells];
    __shared__ value edges[capacity + 1];
    clear_counters(seen);
    for (int i = threadIdx.x; i <= bins; i += threads) edges[i] = value_of(given[i]);
    __syncthreads();
    const near_edges edge{edges};
    const position low = position(edges[0]), scale = cell_scale<position>(low, position(edges[bins]), cells);
    for (int c = threadIdx.x; c < cells; c += threads) {
        const int before = edges_before_cell<position>(edge, int(bins) + 1, c, low, scale, cells);
        const int and_within = edges_before_cell<position>(edge, int(bins) + 1, c + 1, low, scale, cells);
        all_cells[c].found = unsigned(and_within - before) << 16 | unsigned(before);
        all_cells[c].edge = edges[before < bins ? before : int(bins)];
    }
    constexpr position margin = position(1) / 1024;
    even_edges even{low, position(bins) / (position(edges[bins]) - low), margin};
    bool is_uneven = false;
    for (int i = threadIdx.x; i <= bins; i += threads) {
        const position off = even.position_of(edges[i]) - position(i);
        is_uneven |= !(off <= margin && off >= -margin);
    }
    if (__syncthreads_or(is_uneven)) even.margin = 1;
    count_elements(elements, count, edge_bins{edge, all_cells, int(bins), low, scale, even}, shared_counters(seen));
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

extern "C" __global__ void __launch_bounds__(threads, 2) count_between_many_edges(
    index_type* __restrict__, total* __restrict__ totals, const element* __restrict__ elements,
    const element* __restrict__ given, const long long count, const long long bins)
{
    count_elements(elements, count, edge_bins{far_edges{given}, bins}, total_counters{totals});
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
        case histogram_kernel::paired_integers: return {"count_integers_in_pairs", paired_integers_text};
        case histogram_kernel::many_integers: return {"count_many_integers", many_integers_text};
        case histogram_kernel::few_edges: return {"count_between_few_edges", few_edges_text};
        case histogram_kernel::many_edges: return {"count_between_many_edges", many_edges_text};
        case histogram_kernel::store: break;
    }
    return {"store_counts", store_counts_text};
}

/// Reads of 16 bytes that a thread has in flight. Blocks of 1024 threads have 64 registers per thread, which are few
/// for the bins of more than 16 elements.
int reads_of(const histogram_source& s) {
    const int most = s.which == histogram_kernel::paired_integers ? static_cast<int>(size_of(s.type)) : histogram_reads;
    return std::min(most, histogram_reads);
}

/// What a kernel's text uses besides `block_text`.
std::string parts_of(const histogram_source& s) {
    const std::string shared = fmt::format("constexpr int capacity = {};\n", s.capacity) + shared_text;
    switch (s.which) {
        case histogram_kernel::integers: return shared + integer_bins_text;
        case histogram_kernel::paired_integers: return integer_bins_text;
        case histogram_kernel::few_edges: return shared;
        case histogram_kernel::many_integers:
        case histogram_kernel::many_edges: return totals_text;
        case histogram_kernel::store: break;
    }
    return "";
}

/// An element, the value that it is compared as, and the floating type that cells are computed in.
std::string element_text(dtype type) {
    const char* const element = cuda_name(type == dtype::bool_ ? dtype::uint8 : type);
    return fmt::format(
        "typedef {} element;\ntypedef {} value;\ntypedef {} position;\n"
        "template <class T>\n__device__ value value_of(const T x) {{ return value(x); }}\n",
        element, is_storage_only(type) ? "float" : element, size_of(type) == 8 ? "double" : "float");
}

}  // namespace

const char* histogram_name(histogram_kernel which) { return text_of(which).name; }

std::string histogram_text(const histogram_source& s, const printed_element* elements) {
    std::string text = fmt::format("typedef long long index_type;\ntypedef {} total;\n",
                                   s.wide_totals ? "unsigned long long" : "unsigned");
    if (s.which != histogram_kernel::store)
        text += fmt::format("constexpr int threads = {}, reads = {};\n{}{}{}{}", threads_of(s.which), reads_of(s),
                            element_text(s.type), elements ? function_block_text : block_text, warp_text, parts_of(s));
    text += text_of(s.which).text;
    if (elements) text = with_function(std::move(text), "const element* __restrict__ elements,\n    ", *elements);
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
