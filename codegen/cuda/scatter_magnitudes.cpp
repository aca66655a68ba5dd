// Source of the kernels that find the largest magnitude among the values of each place: a maximum, which does not
// depend on the order in which values are seen.
#include <codegen/cuda/scatter_magnitudes.hpp>

namespace sinter::codegen {

const char* const float_bits_text = R"(
typedef unsigned bits;
constexpr int mantissa_bits = 23, exponent_bias = 127, step = 1;
constexpr unsigned exponent_mask = 255;
__device__ bits bits_of(const element x) { return __float_as_uint(x); }
)";

const char* const double_bits_text = R"(
typedef unsigned long long bits;
constexpr int mantissa_bits = 52, exponent_bias = 1023, step = 4;
constexpr unsigned exponent_mask = 2047;
__device__ bits bits_of(const element x) { return bits(__double_as_longlong(x)); }
)";

const char* const magnitude_text = R"(
// A magnitude is 0 for -0.0, 1 for 0.0, `special` for infinities and NaN, and grows with the exponent of other numbers:
// 2^step exponents have the same, so that it fits a byte.
constexpr unsigned special = (exponent_mask >> step) + 3;

__device__ unsigned magnitude_of(const element x)
{
    const bits own = bits_of(x);
    const unsigned exponent = unsigned(own >> mantissa_bits) & exponent_mask;
    if (exponent == exponent_mask) return special;
    if (bits(own << 1) == 0) return own == 0 ? 1u : 0u;
    return (exponent >> step) + 2;
}

// |x| 2^scale < 2^room for each x of this magnitude.
__device__ int scale_of(const unsigned magnitude, const int room)
{
    return room + exponent_bias - (int(magnitude) - 1) * (1 << step);
}

// 2^k as a double.
__device__ double power_of_two(const int k) { return __longlong_as_double((long long)(k + 1023) << 52); }

// x 2^k; neither type has all powers of two by which its numbers are scaled.
__device__ double scaled(const double x, const int k) { return x * power_of_two(k / 2) * power_of_two(k - k / 2); }
__device__ float scaled(const float x, const int k)
{
    const int half = k >> 1, rest = k - half;
    return x * __uint_as_float(unsigned(half + 127) << 23) * __uint_as_float(unsigned(rest + 127) << 23);
}
)";

const char* const raise_text = R"(
// Raises each byte of a word to that of `to`.
__device__ void raise_word(unsigned* word, const unsigned to)
{
    unsigned seen = *(volatile unsigned*)word;
    for (;;) {
        const unsigned made = __vmaxu4(seen, to);
        if (made == seen) return;
        const unsigned before = atomicCAS(word, seen, made);
        if (before == seen) return;
        seen = before;
    }
}

__device__ void raise(unsigned* table, const place at, const unsigned to)
{
    raise_word(table + at / 4, to << (8 * int(at & 3)));
}
)";

const char* const magnitudes_text = R"(
extern "C" __global__ void __launch_bounds__(threads, 1) find_magnitudes(
    unsigned* __restrict__ table, const int* __restrict__ keys, const element* __restrict__ values,
    const long long total, const int count, const int extent, const long long inner, const long long places)
{
    extern __shared__ unsigned own[];
    const int words = int((places + 3) / 4);
    for (int i = threadIdx.x; i < words; i += threads) own[i] = __ldcg(table + i);
    __syncthreads();
    for_each_batch(keys, values, total, count, extent, inner, blockIdx.x, gridDim.x,
                   [&](const place (&at)[reads], const element (&x)[reads]) {
                       // magnitudes only rise: most values find theirs, or a larger one, and are done
                       unsigned char seen[reads];
#pragma unroll
                       for (int r = 0; r < reads; ++r)
                           seen[r] = at[r] >= 0 ? reinterpret_cast<volatile unsigned char*>(own)[at[r]] : 255;
#pragma unroll
                       for (int r = 0; r < reads; ++r)
                           if (const unsigned to = magnitude_of(x[r]); seen[r] < to) raise(own, at[r], to);
                   });
    __syncthreads();
    // each block begins elsewhere, so that few meet at a word
    const int first = int((long long)words * blockIdx.x / gridDim.x);
    for (int i = threadIdx.x; i < words; i += threads) {
        const int at = i + first < words ? i + first : i + first - words;
        if (own[at] != 0) raise_word(table + at, own[at]);
    }
}
)";

const char* const far_magnitudes_text = R"(
extern "C" __global__ void __launch_bounds__(threads, 2) find_far_magnitudes(
    unsigned* __restrict__ table, const int* __restrict__ keys, const element* __restrict__ values,
    const long long total, const int count, const int extent, const long long inner, long long)
{
    for_each_batch(keys, values, total, count, extent, inner, blockIdx.x, gridDim.x,
                   [&](const place (&at)[reads], const element (&x)[reads]) {
#pragma unroll
                       for (int r = 0; r < reads; ++r)
                           if (at[r] >= 0) raise(table, at[r], magnitude_of(x[r]));
                   });
}
)";

}  // namespace sinter::codegen
