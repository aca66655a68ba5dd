// Least-significant-digit radix sort of rows, by digits of 8 bits: one pass over the elements counts all digits; then
// one pass per digit reads and stores every element once (A. Adinets and D. Merrill, "Onesweep: a faster least
// significant digit radix sort for GPUs", 2022). A block that has ranked its tile publishes its count of each digit,
// and looks back for the counts before it (D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back", NVIDIA NVR-2016-002). The sort is stable, and its result does not depend on the order of the blocks.
#include <codegen/cuda/radix_sort.hpp>

namespace sinter::codegen {

const char* const one_digit_text = R"(
// Instead of the first sum of a row's digit, which is 0: all elements have the same.
constexpr unsigned one_digit = 0xffffffffu;
)";

const char* const radix_count_text = R"(
struct alignas(16) quad { unsigned word[4]; };

// totals[row][digit][value]: how often a digit comes in a row. Of each counter, lanes have `copies`: an addition to
// shared memory takes as many turns as lanes meet at a bank.
extern "C" __global__ void __launch_bounds__(256) count_digits(
    unsigned* __restrict__ totals, const element* __restrict__ source, const long long length, const long long pieces)
{
    constexpr int copies = items, counters = 256 * sizeof(word);
    extern __shared__ quad space[];
    unsigned* const seen = reinterpret_cast<unsigned*>(space);
    for (int i = threadIdx.x; i < counters * copies / 4; i += 256) space[i] = quad();
    __syncthreads();
    const long long row = blockIdx.x / pieces, first = blockIdx.x % pieces * counted_elements;
    const int count = length - first < counted_elements ? int(length - first) : counted_elements;
    unsigned* const own = seen + threadIdx.x % copies;
    const element* const from = source + row * length + first;
#pragma unroll 8
    for (int e = threadIdx.x; e < count; e += 256) {
        const word plain = key_of_bits(from[e].part[0]), key = descending ? word(~plain) : plain;
#pragma unroll
        for (int d = 0; d < int(sizeof(word)); ++d) atomicAdd(own + (d * 256 + digit_of(key, 8 * d)) * copies, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < counters; i += 256) {
        unsigned sum = 0;
        for (int c = 0; c < copies; ++c) sum += seen[i * copies + (c + threadIdx.x) % copies];
        if (sum > 0) atomicAdd(&totals[row * counters + i], sum);
    }
}
)";

const char* const radix_sums_text = R"(
// One block per row and digit: each count becomes the sum of those before. The first of these sums is 0, so that its
// place can say that all elements of the row have one digit.
extern "C" __global__ void __launch_bounds__(256) sum_digits(unsigned* totals, const long long length)
{
    __shared__ unsigned of_warps[8];
    unsigned* const own = totals + (blockIdx.x * 256ll + threadIdx.x);
    const unsigned count = *own, sum = sum_before(of_warps, count);
    const bool is_one_digit = __syncthreads_or(count == length);
    *own = threadIdx.x == 0 && is_one_digit ? one_digit : sum;
}
)";

const char* const radix_place_text = R"(
struct alignas(16) quad { unsigned word[4]; };

__device__ unsigned digit_of_bits(const word bits, const int shift)
{
    const word key = key_of_bits(bits);
    return digit_of(descending ? word(~key) : key, shift);
}

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

// The tile's elements, and the digit of each in the upper half of a word. What is past the end has the last digit,
// behind all others that have it.
template <bool whole>
__device__ void load_tile(const element* from, const int first, const int count, const int shift, word* x,
                          unsigned* ranked)
{
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] = whole || first + 32 * i < count ? from[first + 32 * i].part[0] : word(0);
#pragma unroll
    for (int i = 0; i < items; ++i)
        ranked[i] = (whole || first + 32 * i < count ? digit_of_bits(x[i], shift) : 255u) << 16;
}

// Stores a tile where its elements go by the digit from bit `shift` on. `from` is where each element of `source` stood
// in its row at first; null for where it stands. Blocks take the tiles in the order in which they begin. Where all
// elements of a row have one digit, they stay where they are.
extern "C" __global__ void __launch_bounds__(256, 3) place_digits(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ from, const unsigned* __restrict__ totals, state_word* __restrict__ states,
    unsigned* __restrict__ ticket, const long long length, const long long tiles, const long long shift)
{
    constexpr int tile_elements = 256 * items;
    constexpr int held_bytes = tile_elements * (tracked && sizeof(word) < 4 ? 4 : sizeof(word));
    // masks, then elements, then positions
    __shared__ __align__(16) unsigned char space[held_bytes < 8192 ? 8192 : held_bytes];
    __shared__ __align__(16) unsigned counts[8 * 256];
    __shared__ unsigned of_warps[8], base[256], taken;
    word* const held = reinterpret_cast<word*>(space);
    unsigned* const masks = reinterpret_cast<unsigned*>(space);
    const int t = threadIdx.x, lane = t & 31, warp = t / 32;
    if (t == 0) taken = atomicAdd(ticket, 1u);
#pragma unroll
    for (int i = t; i < 2 * 256; i += 256)
        reinterpret_cast<quad*>(counts)[i] = reinterpret_cast<quad*>(masks)[i] = quad();
    __syncthreads();
    const long long row = taken / tiles, tile = taken % tiles, start = tile * tile_elements, begin = row * length;
    const int count = length - start < tile_elements ? int(length - start) : tile_elements;
    const int first = warp * 32 * items + lane;
    const unsigned* const sums = totals + (row * (256 * sizeof(word)) + unsigned(shift) / 8 * 256);
    word x[items];
    unsigned rank[items];
    if (count == tile_elements)
        load_tile<true>(source + begin + start, first, count, int(shift), x, rank);
    else
        load_tile<false>(source + begin + start, first, count, int(shift), x, rank);
    if (sums[0] == one_digit) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            const int at = first + 32 * i;
            if (values && at < count) values[begin + start + at].part[0] = x[i];
            if (tracked && at < count) indices[begin + start + at] = from ? from[begin + start + at] : start + at;
        }
        return;
    }
    rank_in_warp(counts + warp * 256, masks + warp * 256, rank);
    __syncthreads();
    unsigned own[8], all = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
        own[w] = counts[w * 256 + t];
        all += own[w];
    }
    const unsigned own_elements = t == 255 ? all - unsigned(tile_elements - count) : all;  // without what is no element
    state_word* const own_states = states + row * tiles * 256 + t;
    publish(own_states, tile, own_elements);
    const unsigned in_tile = sum_before(of_warps, all);
    unsigned before_warp = in_tile;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
        counts[w * 256 + t] = before_warp;
        before_warp += own[w];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        rank[i] = place_of(counts + warp * 256, rank[i]);
        held[rank[i]] = x[i];
    }
    const unsigned before = elements_before(own_states, tile, own_elements);
    base[t] = (t > 0 ? sums[t] : 0) + before - in_tile;
    __syncthreads();
    unsigned to[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int e = t + 256 * i;
        const word bits = held[e];
        to[i] = base[digit_of_bits(bits, int(shift))] + unsigned(e);
        if (values && e < count) values[begin + to[i]].part[0] = bits;
    }
    if constexpr (tracked) {
        unsigned* const places = reinterpret_cast<unsigned*>(space);
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
}
)";

}  // namespace sinter::codegen
