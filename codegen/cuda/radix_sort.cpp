// A least-significant-digit radix sort of rows, by digits of 8 bits (N. Satish, M. Harris and M. Garland, "Designing
// efficient sorting algorithms for manycore GPUs", IPDPS 2009). Per digit a block counts the digits of its tile, the
// counts before each tile are summed up, and a block sorts its tile in shared memory and stores it, digit by digit,
// behind what the tiles before have of it. All of it keeps the order of equal elements, and nothing depends on which
// block is first.
#include <codegen/cuda/radix_sort.hpp>

namespace sinter::codegen {

const char* const radix_shared_text = R"(
__device__ unsigned digit_of(const element& x, const int shift)
{
    const word key = key_of(x, 0);
    return unsigned((descending ? word(~key) : key) >> shift) & 255u;
}

// The sum of what the threads before this one have; sums[255] becomes that of all.
__device__ unsigned sum_before(unsigned* sums, const unsigned own)
{
    const int t = threadIdx.x;
    sums[t] = own;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        const unsigned left = t >= step ? sums[t - step] : 0u;
        __syncthreads();
        sums[t] += left;
    }
    __syncthreads();
    return sums[t] - own;
}
)";

const char* const radix_count_text = R"(
// table[row][digit][tile]: how often the digit from bit `shift` on comes in a tile of 2048 elements.
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    unsigned* __restrict__ table, const element* __restrict__ source, const long long length, const long long tiles,
    const long long shift)
{
    __shared__ unsigned seen[256];
    seen[threadIdx.x] = 0;
    __syncthreads();
    const long long row = blockIdx.x / tiles, tile = blockIdx.x % tiles, first = tile * 2048;
    for (int e = threadIdx.x; e < 2048; e += 256)
        if (first + e < length) atomicAdd(&seen[digit_of(source[row * length + first + e], int(shift))], 1u);
    __syncthreads();
    table[(row * 256 + threadIdx.x) * tiles + tile] = seen[threadIdx.x];
}
)";

const char* const radix_sums_text = R"(
// One block per row and digit: each count becomes the sum of those of the tiles before; their sum goes to `totals`.
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    unsigned* __restrict__ table, unsigned* __restrict__ totals, const long long tiles)
{
    __shared__ unsigned sums[256];
    unsigned* const counts = table + blockIdx.x * tiles;
    unsigned so_far = 0;
    for (long long first = 0; first < tiles; first += 2048) {
        unsigned own[8], sum = 0;
        for (int k = 0; k < 8; ++k) {
            const long long i = first + threadIdx.x * 8 + k;
            own[k] = i < tiles ? counts[i] : 0u;
            sum += own[k];
        }
        __syncthreads();
        unsigned before = so_far + sum_before(sums, sum);
        for (int k = 0; k < 8; ++k) {
            const long long i = first + threadIdx.x * 8 + k;
            if (i < tiles) counts[i] = before;
            before += own[k];
        }
        so_far += sums[255];
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = so_far;
}
)";

const char* const radix_place_text = R"(
// Stores a tile where its elements go by the digit from bit `shift` on. `from` is where each element of `source` stood
// in its row at first; null for where it stands. `totals` is null where the counts are not summed up yet.
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ from, const unsigned* __restrict__ table, const unsigned* __restrict__ totals,
    const long long length, const long long tiles, const long long shift)
{
    __shared__ element held[2048];
    __shared__ unsigned origin[2048];
    __shared__ unsigned short counts[16 * 256];
    __shared__ unsigned sums[256], first[256], base[256];
    const int t = threadIdx.x;
    const long long row = blockIdx.x / tiles, tile = blockIdx.x % tiles, start = tile * 2048, begin = row * length;
    const int count = length - start < 2048 ? int(length - start) : 2048;
    for (int e = t; e < 2048; e += 256) {
        held[e] = e < count ? source[begin + start + e] : element();
        origin[e] = e < count ? from ? from[begin + start + e] : unsigned(start + e) : 0u;
    }
    // Two stable passes over 4 bits each. A thread has 8 neighbours, and a counter for each value of the bits; what
    // stands for no element counts as the greatest, and so stays at the end.
    for (int bits = 0; bits < 8; bits += 4) {
        __syncthreads();
        element x[8];
        unsigned o[8], digit[8], rank[8];
        for (int k = 0; k < 8; ++k) {
            const int e = t * 8 + k;
            x[k] = held[e];
            o[k] = origin[e];
            digit[k] = e < count ? digit_of(x[k], int(shift)) >> bits & 15u : 15u;
        }
        for (int d = 0; d < 16; ++d) counts[d * 256 + t] = 0;
        for (int k = 0; k < 8; ++k) rank[k] = counts[digit[k] * 256 + t]++;
        __syncthreads();
        unsigned sum = 0;
        for (int i = 0; i < 16; ++i) sum += counts[t * 16 + i];
        unsigned before = sum_before(sums, sum);
        for (int i = 0; i < 16; ++i) {
            const unsigned here = counts[t * 16 + i];
            counts[t * 16 + i] = (unsigned short)(before);
            before += here;
        }
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            const unsigned to = counts[digit[k] * 256 + t] + rank[k];
            held[to] = x[k];
            origin[to] = o[k];
        }
    }
    // Where each digit begins in the tile, and where this tile's elements of it begin in the row.
    unsigned here = 0, total = 0;
    if (totals) {
        here = table[(row * 256 + t) * tiles + tile];
        total = totals[row * 256 + t];
    } else {
        for (long long other = 0; other < tiles; ++other) {
            const unsigned n = table[(row * 256 + t) * tiles + other];
            total += n;
            here += other < tile ? n : 0u;
        }
    }
    __syncthreads();
    base[t] = sum_before(sums, total) + here;
    for (int e = t; e < count; e += 256) {
        const unsigned digit = digit_of(held[e], int(shift));
        if (e == 0 || digit_of(held[e - 1], int(shift)) != digit) first[digit] = e;
    }
    __syncthreads();
    for (int e = t; e < count; e += 256) {
        const unsigned digit = digit_of(held[e], int(shift));
        const long long to = begin + base[digit] + (e - first[digit]);
        if (values) values[to] = held[e];
        if (indices) indices[to] = origin[e];
    }
}
)";

}  // namespace sinter::codegen
