// Least-significant-digit radix sort of rows, by digits of 8 bits: one pass over the elements counts all digits; then
// one pass per digit reads and stores every element once (A. Adinets and D. Merrill, "Onesweep: a faster least
// significant digit radix sort for GPUs", 2022). A block that has ranked its tile publishes its count of each digit,
// and looks back for the counts before it (D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back", NVIDIA NVR-2016-002). The sort is stable, and its result does not depend on the order of the blocks.
#include <codegen/cuda/radix_sort.hpp>

namespace sinter::codegen {

const char* const radix_count_text = R"(
// totals[row][digit][value]: how often a digit comes in a row. Lanes have several counters for each, since neighbours
// are often alike.
extern "C" __global__ void __launch_bounds__(256) count_digits(
    unsigned* __restrict__ totals, const element* __restrict__ source, const long long length, const long long pieces)
{
    constexpr int digits = sizeof(word), copies = 32 / digits < 8 ? 32 / digits : 8;
    __shared__ unsigned seen[digits * 256 * copies];
    for (int i = threadIdx.x; i < digits * 256 * copies; i += 256) seen[i] = 0;
    __syncthreads();
    const long long row = blockIdx.x / pieces, first = blockIdx.x % pieces * 32768;
    const int count = length - first < 32768 ? int(length - first) : 32768, copy = threadIdx.x % copies;
    const element* const from = source + row * length + first;
#pragma unroll 4
    for (int e = threadIdx.x; e < count; e += 256) {
        const word plain = key_of_bits(from[e].part[0]), key = descending ? word(~plain) : plain;
#pragma unroll
        for (int d = 0; d < digits; ++d) atomicAdd(&seen[(d * 256 + digit_of(key, 8 * d)) * copies + copy], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < digits * 256; i += 256) {
        unsigned sum = 0;
        for (int c = 0; c < copies; ++c) sum += seen[i * copies + c];
        if (sum > 0) atomicAdd(&totals[row * (digits * 256) + i], sum);
    }
}
)";

const char* const radix_sums_text = R"(
// One block per row and digit: each count becomes the sum of those before.
extern "C" __global__ void __launch_bounds__(256) sum_digits(unsigned* totals)
{
    __shared__ unsigned of_warps[8];
    unsigned* const own = totals + (blockIdx.x * 256ll + threadIdx.x);
    const unsigned sum = sum_before(of_warps, *own);
    *own = sum;
}
)";

const char* const radix_place_text = R"(
// What a tile says of each digit: nothing yet (0), how many elements it has (1), or how many it and all before it have
// (2).
constexpr int state_shift = 8 * sizeof(state_word) - 2;

// Says how many elements of a digit a tile has, by the thread of that digit.
__device__ void publish(volatile state_word* states, const long long tile, const unsigned own)
{
    states[tile * 256] = state_word(tile == 0 ? 2 : 1) << state_shift | own;
}

// The elements with a digit in the tiles of the row before this one, which is published.
__device__ unsigned elements_before(volatile state_word* states, const long long tile, const unsigned own)
{
    if (tile == 0) return 0;
    volatile state_word* at = states + tile * 256;
    unsigned before = 0;
    for (volatile state_word* other = at - 256;; other -= 256) {
        state_word said = *other;
        while (said >> state_shift == 0) {
            __nanosleep(20);
            said = *other;
        }
        before += unsigned(said & ~(state_word(3) << state_shift));
        if (state_word(1) << (state_shift + 1) & said) break;
    }
    *at = state_word(2) << state_shift | (own + before);
    return before;
}

// Stores a tile where its elements go by the digit from bit `shift` on. `from` is where each element of `source` stood
// in its row at first; null for where it stands. Blocks take the tiles in the order in which they begin.
extern "C" __global__ void __launch_bounds__(256, 4) place_digits(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ from, const unsigned* __restrict__ totals, state_word* __restrict__ states,
    unsigned* __restrict__ ticket, const long long length, const long long tiles, const long long shift)
{
    constexpr int held_bytes = 256 * items * (sizeof(word) < 4 ? 4 : sizeof(word));
    __shared__ long long space[(held_bytes < 8192 ? 8192 : held_bytes) / 8];  // masks, then elements, then positions
    __shared__ unsigned counts[8 * 256], of_warps[8], base[256], taken;
    word* const held = reinterpret_cast<word*>(space);
    unsigned* const masks = reinterpret_cast<unsigned*>(space);
    const int t = threadIdx.x, lane = t & 31, warp = t / 32;
    if (t == 0) taken = atomicAdd(ticket, 1u);
    for (int i = t; i < 8 * 256; i += 256) counts[i] = masks[i] = 0;
    __syncthreads();
    const long long row = taken / tiles, tile = taken % tiles, start = tile * (256 * items), begin = row * length;
    const int count = length - start < 256 * items ? int(length - start) : 256 * items;
    const int first = warp * 32 * items + lane;
    word x[items];
    unsigned digit[items], rank[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = first + 32 * i;
        x[i] = at < count ? source[begin + start + at].part[0] : word(0);
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const word key = key_of_bits(x[i]);
        digit[i] = first + 32 * i < count ? digit_of(descending ? word(~key) : key, int(shift)) : 255u;
    }
    rank_in_warp(counts + warp * 256, masks + warp * 256, digit, rank);
    __syncthreads();
    unsigned all = 0;
    for (int w = 0; w < 8; ++w) {
        const unsigned own = counts[w * 256 + t];
        counts[w * 256 + t] = all;
        all += own;
    }
    const unsigned own_elements = t == 255 ? all - unsigned(256 * items - count) : all;  // without what is no element
    state_word* const own_states = states + row * tiles * 256 + t;
    publish(own_states, tile, own_elements);
    const unsigned in_tile = sum_before(of_warps, all);
    for (int w = 0; w < 8; ++w) counts[w * 256 + t] += in_tile;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        rank[i] += counts[warp * 256 + digit[i]];
        held[rank[i]] = x[i];
    }
    const unsigned before = elements_before(own_states, tile, own_elements);
    base[t] = totals[row * (256 * sizeof(word)) + unsigned(shift) / 8 * 256 + t] + before - in_tile;
    __syncthreads();
    unsigned to[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int e = t + 256 * i;
        const word key = key_of_bits(held[e]);
        to[i] = base[digit_of(descending ? word(~key) : key, int(shift))] + unsigned(e);
        if (values && e < count) values[begin + to[i]].part[0] = held[e];
    }
    if (!indices) return;
    unsigned* const places = reinterpret_cast<unsigned*>(held);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = first + 32 * i;
        if (at < count) places[rank[i]] = from ? from[begin + start + at] : unsigned(start + at);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int e = t + 256 * i;
        if (e < count) indices[begin + to[i]] = places[e];
    }
}
)";

}  // namespace sinter::codegen
