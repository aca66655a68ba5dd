// Sorts rows within a block. A thread sorts a short row by a sorting network; a block sorts a longer one by digits of 8
// bits, lowest first. Elements are moved as bits, so NaN and -0.0 are preserved; their keys are compared.
#include <codegen/cuda/row_sort.hpp>

namespace sinter::codegen {

// Ranking: a warp has 32 * items neighbouring elements, and ranks 32 at a time. Lanes with equal digits find each other
// in a mask per digit (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022). Integer operations take more time than shared memory here: ballots of the 8 bits would be 32 of them.
const char* const digit_rank_text = R"(
__device__ unsigned digit_of(const word key, const int shift) { return unsigned(key >> shift) & 255u; }

// Beside each digit of a warp's elements (the upper half of a word), counts the elements before it that have the same,
// by the warp's counts, which it adds to. The warp's masks are zero, before and after.
__device__ void rank_in_warp(unsigned* counts, unsigned* masks, unsigned* ranked)
{
    const unsigned lane = threadIdx.x & 31u;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const unsigned digit = ranked[i] >> 16;
        atomicOr(&masks[digit], 1u << lane);
        __syncwarp();
        const unsigned equal = masks[digit], seen = counts[digit];
        const unsigned before = __popc(equal & ((1u << lane) - 1u));
        __syncwarp();
        if (before == 0) {
            counts[digit] = seen + __popc(equal);
            masks[digit] = 0;
        }
        __syncwarp();
        ranked[i] += seen + before;
    }
}

// Where an element goes in its block, if the counts are where its warp's elements with each digit begin.
__device__ unsigned place_of(const unsigned* begins, const unsigned ranked)
{
    return (ranked & 0xffffu) + begins[ranked >> 16];
}
)";

const char* const row_sort_text = R"(
// A block sorts a row. Behind its elements stand others with the greatest key, which stay there.
extern "C" __global__ void __launch_bounds__(256, 3) sort_row(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const long long length)
{
    constexpr int held_bytes = 256 * items * (sizeof(word) < 4 ? 4 : sizeof(word));
    __shared__ long long space[(held_bytes < 8192 ? 8192 : held_bytes) / 8];  // masks, then elements, then positions
    __shared__ unsigned counts[8 * 256], of_warps[8];
    word* const held = reinterpret_cast<word*>(space);
    unsigned* const masks = reinterpret_cast<unsigned*>(space);
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
        unsigned rank[items];
#pragma unroll
        for (int i = 0; i < items; ++i) {
            const word key = key_of_bits(x[i]);
            rank[i] = (first + 32 * i < length ? digit_of(descending ? word(~key) : key, shift) : 255u) << 16;
        }
        for (int i = t; i < 8 * 256; i += 256) counts[i] = masks[i] = 0;
        __syncthreads();
        rank_in_warp(counts + warp * 256, masks + warp * 256, rank);
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
            rank[i] = place_of(counts + warp * 256, rank[i]);
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

// Elements whose keys are equal have equal bits, except for zeros of either sign and for NaN, which are ambiguous.
const char* const ordered_key_text = R"(
__device__ word ordered_key(const word bits)
{
    const word key = key_of_bits(bits);
    return descending ? word(~key) : key;
}
__device__ word bits_of(const word ordered)
{
    const word key = descending ? word(~ordered) : ordered;
    return infinity == 0 || (key & sign) != 0 ? word(key ^ sign) : word(~key);
}
)";

const char* const register_sort_text = R"(
__device__ void put_in_order(word& x, word& y)
{
    const word least = x < y ? x : y;
    y = x < y ? y : x;
    x = least;
}

// A thread sorts elements in registers by Batcher's odd-even merge sort (K. Batcher, "Sorting networks and their
// applications", AFIPS 1968).
template <class T, int count>
__device__ void sort_in_registers(T (&x)[count])
{
#pragma unroll
    for (int run = 1; run < count; run *= 2)
#pragma unroll
        for (int apart = run; apart > 0; apart /= 2)
#pragma unroll
            for (int i = 0; i < count; ++i) {
                const int j = i + apart, offset = apart % run;
                if (j >= count || i < offset || (i - offset) / apart % 2 != 0) continue;
                if (i / (2 * run) == j / (2 * run)) put_in_order(x[i], x[j]);
            }
}
)";

const char* const short_row_text = R"(
// An element of a row of up to 32: positions decide between equal keys.
struct placed { word key; unsigned char from; };

__device__ bool is_behind(const placed& x, const placed& y)
{
    return y.key < x.key || (y.key == x.key && y.from < x.from);
}
__device__ void put_in_order(placed& x, placed& y)
{
    if (is_behind(x, y)) {
        const placed swapped = x;
        x = y;
        y = swapped;
    }
}

// The rows of a block, with padding after each to avoid bank conflicts. They have fewer than 2^11 elements, whose
// indices are divided by a multiplication.
struct short_rows {
    int columns;
    unsigned inverse;
    __device__ explicit short_rows(const int n) : columns(n), inverse(((1u << 18) + unsigned(n) - 1) / unsigned(n)) {}
    __device__ int row_of(const int e) const { return int(unsigned(e) * inverse >> 18); }
    __device__ int padded(const int e) const { return e + row_of(e) * (items + 1 - columns); }
};

extern "C" __global__ void __launch_bounds__(64, 4) sort_short_rows(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const long long rows, const long long length)
{
    __shared__ word held[64 * (items + 1)];
    const int t = threadIdx.x;
    const long long first = blockIdx.x * 64ll, left = rows - first, begin = first * length;
    const short_rows all{int(length)};
    const int count = int(left < 64 ? left : 64) * all.columns;
    for (int e = t; e < count; e += 64) held[all.padded(e)] = source[begin + e].part[0];
    __syncthreads();
    word key[items];
    bool is_ambiguous = false;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        key[i] = word(~word(0));
        if (i >= all.columns || t >= left) continue;
        const word bits = held[t * (items + 1) + i];
        key[i] = ordered_key(bits);
        is_ambiguous |= bits_of(key[i]) != bits;
    }
    if constexpr (values_only) {
        if (!__syncthreads_or(is_ambiguous)) {
            sort_in_registers(key);
#pragma unroll
            for (int i = 0; i < items; ++i) held[t * (items + 1) + i] = bits_of(key[i]);
            __syncthreads();
            for (int e = t; e < count; e += 64) values[begin + e].part[0] = held[all.padded(e)];
            return;
        }
    }
    __shared__ unsigned char order[64 * (items + 1)];
    placed x[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        x[i].key = key[i];
        x[i].from = (unsigned char)i;
    }
    sort_in_registers(x);
#pragma unroll
    for (int i = 0; i < items; ++i) order[t * (items + 1) + i] = x[i].from;
    __syncthreads();
    for (int e = t; e < count; e += 64) {
        const int row = all.row_of(e) * (items + 1), from = order[all.padded(e)];
        if (values) values[begin + e].part[0] = held[row + from];
        if (indices) indices[begin + e] = from;
    }
}
)";

}  // namespace sinter::codegen
