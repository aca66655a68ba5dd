// Sorts the values of rows by a bitonic network (K. Batcher, "Sorting networks and their applications", AFIPS 1968),
// for sorts that do not ask for positions. A comparison of two keys takes two instructions, in registers; shared memory
// moves between registers and threads those bits of the index that the next comparisons need, four at a time.
//
// A network is not stable. Elements whose keys are equal have equal bits, except for zeros of either sign and for NaN:
// if a row has these, they are stored again, in the order of the row.
#include <codegen/cuda/row_sort.hpp>

namespace sinter::codegen {

const char* const row_network_text = R"(
constexpr int local_bits = sizeof(word) == 8 ? 3 : 4, items = 1 << local_bits, threads = (1 << index_bits) / items;

// An index has `local_bits` bits from `from` on in the number of the register, and the others in that of the thread.
template <int from>
__device__ int index_in(const int i)
{
    const int t = threadIdx.x;
    return (t >> from) << (from + local_bits) | i << from | (t & ((1 << from) - 1));
}
// Padding after every 16 words, to avoid bank conflicts.
__device__ int padded(const int index) { return index + (index >> 4); }

// Where the registers' bits begin for comparisons by a bit.
template <int bit>
struct layout_of {
    static constexpr int low = bit / local_bits * local_bits, last = index_bits - local_bits;
    static constexpr int from = low < last ? low : last;
};

// Moves the elements from one layout to another. Only lanes of one warp exchange elements where the bits of the warp's
// number are in neither layout's registers.
template <int from, int to>
__device__ void change_layout(word* held, word* x)
{
    constexpr bool within_warps = from <= 5 && to <= 5;
    if (from == to) return;
    if (within_warps) __syncwarp(); else __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) held[padded(index_in<from>(i))] = x[i];
    if (within_warps) __syncwarp(); else __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] = held[padded(index_in<to>(i))];
}

// Merges bitonic runs of 2^(bit + 1) elements, in layout `from`; ends in layout 0.
template <int bit, int from>
__device__ void merge_runs(word* held, word* x)
{
    constexpr int to = layout_of<bit>::from;
    change_layout<from, to>(held, x);
#pragma unroll
    for (int apart = 1 << (bit - to); apart > 0; apart /= 2)
#pragma unroll
        for (int i = 0; i < items; ++i)
            if ((i & apart) == 0) put_in_order(x[i], x[i | apart]);
    if constexpr (to > 0) merge_runs<to - 1, to>(held, x);
}

// All ones for the elements of runs that descend in a stage of runs of 2^stage elements: these are inverted, so that
// every comparison ascends. The last stage has one run.
template <int stage>
__device__ word inversion()
{
    return stage < index_bits ? word(0) - word(threadIdx.x >> (stage - local_bits) & 1u) : word(0);
}

template <int stage>
__device__ void merge_from(word* held, word* x)
{
    const word changed = inversion<stage - 1>() ^ inversion<stage>();
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] ^= changed;
    merge_runs<stage - 1, 0>(held, x);
    if constexpr (stage < index_bits) merge_from<stage + 1>(held, x);
}

// A thread's run.
__device__ void sort_run(word (&x)[items])
{
    const word inverted = inversion<local_bits>();
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] ^= inverted;
    sort_in_registers(x);
}

// Stores the elements of one key in the order of the row.
__device__ void store_in_order(element* values, const element* row, const int length, const word key,
                               unsigned* of_warps)
{
    unsigned less = 0;
    for (int at = threadIdx.x; at < length; at += threads) less += ordered_key(row[at].part[0]) < key;
    const auto sum_of_block = [&](const unsigned own, unsigned& before) {
        __syncthreads();
        before = sum_before(of_warps, own);
        unsigned sum = 0;
        for (int w = 0; w < threads / 32; ++w) sum += of_warps[w];
        return sum;
    };
    unsigned before, rank = sum_of_block(less, before);
    for (int base = 0; base < length; base += threads) {
        const int at = base + threadIdx.x;
        const bool chosen = at < length && ordered_key(row[at].part[0]) == key;
        const unsigned in_step = sum_of_block(chosen, before);
        if (chosen) values[rank + before] = row[at];
        rank += in_step;
    }
}

// A block sorts a row. After its elements come others with the greatest key, which stay there.
extern "C" __global__ void __launch_bounds__(threads, 1024 / threads) sort_row_values(
    element* __restrict__ values, index_type* __restrict__, const element* __restrict__ source, const long long length)
{
    __shared__ word held[(1 << index_bits) + (1 << index_bits >> 4)];
    __shared__ unsigned of_warps[threads / 32];
    const element* const row = source + blockIdx.x * length;
    element* const sorted = values + blockIdx.x * length;
    word x[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = threadIdx.x + threads * i;
        x[i] = at < length ? row[at].part[0] : word(0);
    }
    bool is_ambiguous = false;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const bool inside = int(threadIdx.x) + threads * i < length;
        const word key = ordered_key(x[i]);
        is_ambiguous |= inside && bits_of(key) != x[i];
        x[i] = inside ? key : word(~word(0));
    }
    sort_run(x);
    merge_from<local_bits + 1>(held, x);
    change_layout<0, index_bits - local_bits>(held, x);
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = threadIdx.x + threads * i;
        if (at < length) sorted[at].part[0] = bits_of(x[i]);
    }
    if (infinity == 0 || !__syncthreads_or(is_ambiguous)) return;
    store_in_order(sorted, row, int(length), ordered_key(0), of_warps);
    store_in_order(sorted, row, int(length), descending ? word(0) : word(~word(0)), of_warps);
}
)";

}  // namespace sinter::codegen
