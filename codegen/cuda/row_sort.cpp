// Sorts rows within a block. A thread sorts a short row by a sorting network; a block sorts a longer one by digits of 8
// bits, lowest first. Elements are moved as bits, so NaN and -0.0 are preserved; their keys are compared.
#include <codegen/cuda/row_sort.hpp>

namespace sinter::codegen {

// Ranking: a warp has 32 * items neighbouring elements, and ranks 32 at a time; lanes with equal digits find each other
// by ballots (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022).
const char* const digit_rank_text = R"(
__device__ unsigned digit_of(const word key, const int shift) { return unsigned(key >> shift) & 255u; }

// The lanes whose digit is this lane's.
__device__ unsigned equal_lanes(const unsigned digit)
{
    unsigned lanes = all_lanes;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
        const bool set = (digit >> bit & 1u) != 0;
        const unsigned others = __ballot_sync(all_lanes, set);
        lanes &= set ? others : ~others;
    }
    return lanes;
}

// What stands before each element of a warp with the same digit, by the warp's counts, which it adds to.
__device__ void rank_in_warp(unsigned* counts, const unsigned* digit, unsigned* rank)
{
    const unsigned lane = threadIdx.x & 31u;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const unsigned equal = equal_lanes(digit[i]);
        const unsigned before = __popc(equal & ((1u << lane) - 1u)), seen = counts[digit[i]];
        __syncwarp();
        if (before == 0) counts[digit[i]] = seen + __popc(equal);
        __syncwarp();
        rank[i] = seen + before;
    }
}
)";

const char* const row_sort_text = R"(
// A block sorts a row. Behind its elements stand others with the greatest key, which stay there.
extern "C" __global__ void __launch_bounds__(256, 3) sort_row(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const long long length)
{
    __shared__ long long space[256 * items * (sizeof(word) < 4 ? 4 : sizeof(word)) / 8];  // elements, then positions
    __shared__ unsigned counts[8 * 256], of_warps[8];
    word* const held = reinterpret_cast<word*>(space);
    const int t = threadIdx.x, lane = t & 31, warp = t / 32;
    const long long begin = blockIdx.x * length;
    const int first = warp * 32 * items + lane;
    word x[items];
    unsigned from[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = first + 32 * i;
        from[i] = at;
        x[i] = at < length ? source[begin + at].part[0] : word(0);
    }
    for (int shift = 0; shift < int(8 * sizeof(word)); shift += 8) {
        unsigned digit[items], rank[items];
#pragma unroll
        for (int i = 0; i < items; ++i) {
            const word key = sort_key<word>(x[i], sign, infinity);
            digit[i] = first + 32 * i < length ? digit_of(descending ? word(~key) : key, shift) : 255u;
        }
        for (int i = t; i < 8 * 256; i += 256) counts[i] = 0;
        __syncthreads();
        rank_in_warp(counts + warp * 256, digit, rank);
        __syncthreads();
        unsigned all = 0;
        for (int w = 0; w < 8; ++w) {
            const unsigned own = counts[w * 256 + t];
            counts[w * 256 + t] = all;
            all += own;
        }
        const unsigned before = sum_before(of_warps, all);
        for (int w = 0; w < 8; ++w) counts[w * 256 + t] += before;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            rank[i] += counts[warp * 256 + digit[i]];
            held[rank[i]] = x[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) x[i] = held[first + 32 * i];
        __syncthreads();
        if (!indices) continue;
        unsigned* const places = reinterpret_cast<unsigned*>(held);
#pragma unroll
        for (int i = 0; i < items; ++i) places[rank[i]] = from[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) from[i] = places[first + 32 * i];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = first + 32 * i;
        if (at >= length) continue;
        if (values) values[begin + at].part[0] = x[i];
        if (indices) indices[begin + at] = from[i];
    }
}
)";

const char* const short_row_text = R"(
// A thread sorts a row of up to 32 elements by Batcher's odd-even merge sort (K. Batcher, "Sorting networks and their
// applications", AFIPS 1968): positions decide between equal keys.
struct placed { word key; unsigned char from; };

__device__ bool is_behind(const placed& x, const placed& y)
{
    return y.key < x.key || (y.key == x.key && y.from < x.from);
}

extern "C" __global__ void __launch_bounds__(64, 4) sort_short_rows(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const long long rows, const long long length)
{
    __shared__ word held[64 * (items + 1)];
    __shared__ unsigned char order[64 * (items + 1)];
    const int t = threadIdx.x, columns = int(length);
    const long long first = blockIdx.x * 64ll, left = rows - first, begin = first * length;
    const int count = int(left < 64 ? left : 64) * columns;
    for (int e = t; e < count; e += 64) held[e / columns * (items + 1) + e % columns] = source[begin + e].part[0];
    __syncthreads();
    placed x[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        x[i].key = word(~word(0));
        if (i < columns && t < left) {
            const word key = sort_key<word>(held[t * (items + 1) + i], sign, infinity);
            x[i].key = descending ? word(~key) : key;
        }
        x[i].from = (unsigned char)i;
    }
#pragma unroll
    for (int run = 1; run < items; run *= 2)
#pragma unroll
        for (int apart = run; apart > 0; apart /= 2)
#pragma unroll
            for (int i = 0; i < items; ++i) {
                const int j = i + apart, offset = apart % run;
                if (j >= items || i < offset || (i - offset) / apart % 2 != 0) continue;
                if (i / (2 * run) == j / (2 * run) && is_behind(x[i], x[j])) {
                    const placed swapped = x[i];
                    x[i] = x[j];
                    x[j] = swapped;
                }
            }
#pragma unroll
    for (int i = 0; i < items; ++i) order[t * (items + 1) + i] = x[i].from;
    __syncthreads();
    for (int e = t; e < count; e += 64) {
        const int row = e / columns, from = order[row * (items + 1) + e % columns];
        if (values) values[begin + e].part[0] = held[row * (items + 1) + from];
        if (indices) indices[begin + e] = from;
    }
}
)";

}  // namespace sinter::codegen
