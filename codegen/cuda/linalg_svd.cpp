// The kernel of the singular value decomposition. It uses the functions of codegen/cuda/linalg_jacobi.cpp.
#include <codegen/cuda/linalg.hpp>

namespace sinter::codegen {

const char* const svd_text = R"(
__shared__ int chosen;

// Rotates two columns, which lie one after the other in memory, until they are orthogonal: by one warp. Whether they
// were not.
__device__ bool rotate_columns(scalar* const p, scalar* const q, const int length, scalar* const of_p,
                               scalar* const of_q, const int turned_length, const real limit)
{
    const int lane = threadIdx.x % 32;
    real first = 0, second = 0;
    scalar across = scalar(0);
    for (int i = lane; i < length; i += 32) {
        first += square(p[i]);
        second += square(q[i]);
        across = across + conjugate(p[i]) * q[i];
    }
    first = warp_sum(first);
    second = warp_sum(second);
    across = warp_total(across);
    if (!(modulus(across) > limit * sqrt(first) * sqrt(second))) return false;
    const rotation turn = rotation_of(first, second, across);
    for (int i = lane; i < length; i += 32) {
        const scalar x = p[i], y = turn.w * q[i];
        p[i] = times(x, turn.c) - times(y, turn.s);
        q[i] = times(x, turn.s) + times(y, turn.c);
    }
    if (of_p)
        for (int i = lane; i < turned_length; i += 32) {
            const scalar x = of_p[i], y = turn.w * of_q[i];
            of_p[i] = times(x, turn.c) - times(y, turn.s);
            of_q[i] = times(x, turn.s) + times(y, turn.c);
        }
    return true;
}

// Makes vector number `at` one of unit length that is orthogonal to the `count` vectors before it: of the unit vectors
// of the axes, that which lies least in their span, without its part there. Done twice, it is orthogonal to the last
// bits.
__device__ void complete(scalar* const basis, const index_type stride, const int length, const int at,
                         scalar* const parts)
{
    scalar* const v = basis + at * stride;
    for (int i = threadIdx.x; i < length; i += threads) {
        real inside = 0;
        for (int d = 0; d < at; ++d) inside += square(basis[d * stride + i]);
        v[i] = scalar(inside);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int best = 0;
        for (int i = 1; i < length; ++i)
            if (real_part(v[i]) < real_part(v[best])) best = i;
        chosen = best;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += threads) v[i] = scalar(i == chosen ? 1 : 0);
    __syncthreads();
    for (int time = 0; time < 2; ++time) {
        for (int d = threadIdx.x; d < at; d += threads) {
            scalar inner = scalar(0);
            for (int i = 0; i < length; ++i) inner = inner + conjugate(basis[d * stride + i]) * v[i];
            parts[d] = inner;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < length; i += threads) {
            scalar x = v[i];
            for (int d = 0; d < at; ++d) x = x - basis[d * stride + i] * parts[d];
            v[i] = x;
        }
        __syncthreads();
    }
    real squares = 0;
    for (int i = threadIdx.x % 32; i < length; i += 32) squares += square(v[i]);
    squares = warp_sum(squares);
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += threads) v[i] = over(v[i], sqrt(squares));
    __syncthreads();
}

// A matrix that is wider than tall is decomposed as its conjugate transpose. `kept` vectors span the long side.
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ u, real* __restrict__ values, scalar* __restrict__ vh, const scalar* __restrict__ a,
    char* __restrict__ space, const long long bytes, const long long rows, const long long columns,
    const long long kept_vectors)
{
    const int m = int(rows), n = int(columns), kept = int(kept_vectors);
    const bool wide = m < n, has_vectors = u || vh;
    const int length = wide ? n : m, count = wide ? m : n;
    const index_type stride = padded(length), turned_stride = padded(count);
    scalar* const sorted = own_space(space, bytes);                     // the basis of the long side, in order
    scalar* const w = sorted + (has_vectors ? kept * stride : 0);       // its columns while they are rotated
    scalar* const turned = w + count * stride;                          // the columns of the short side
    scalar* const sizes = turned + (has_vectors ? count * turned_stride : 0);
    scalar* const parts = sizes + count;
    const long long all = rows * columns;
    const scalar* const from = a + blockIdx.x * all;
    const long long in_u = rows * (wide ? m : kept), in_vh = columns * (wide ? kept : n);
    scalar* const to_u = u ? u + blockIdx.x * in_u : nullptr;
    scalar* const to_vh = vh ? vh + blockIdx.x * in_vh : nullptr;
    real* const to_values = values ? values + (long long)blockIdx.x * count : nullptr;
    const real most = greatest_part(from, all);
    if (!(most < infinity())) {
        fill_real(to_values, count, infinity() - infinity());
        fill(to_u, in_u, scalar(infinity() - infinity()));
        fill(to_vh, in_vh, scalar(infinity() - infinity()));
        return;
    }
    const real scale = most > 0 ? most : real(1);
    for (index_type e = threadIdx.x; e < all; e += threads) {
        const index_type i = e / n, j = e % n;
        w[wide ? i * stride + j : j * stride + i] = over(wide ? conjugate(from[e]) : from[e], scale);
    }
    if (has_vectors)
        for (index_type e = threadIdx.x; e < index_type(count) * count; e += threads)
            turned[e / count * turned_stride + e % count] = scalar(e / count == e % count ? 1 : 0);
    __syncthreads();
    const int warp = threadIdx.x / 32, even = count + (count & 1);
    const real limit = epsilon() * sqrt(real(length));
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        bool found = false;
        for (int round = 0; round < even - 1; ++round) {
            for (int k = warp; k < even / 2; k += threads / 32) {
                const pair x = pair_of(even, round, k);
                if (x.q >= count) continue;
                found = rotate_columns(w + x.p * stride, w + x.q * stride, length,
                                       has_vectors ? turned + x.p * turned_stride : nullptr,
                                       has_vectors ? turned + x.q * turned_stride : nullptr, count, limit) || found;
            }
            __syncthreads();
        }
        if (!__syncthreads_or(found)) break;
    }
    for (int c = warp; c < count; c += threads / 32) {
        real squares = 0;
        for (int i = threadIdx.x % 32; i < length; i += 32) squares += square(w[c * stride + i]);
        squares = warp_sum(squares);
        if (threadIdx.x % 32 == 0) sizes[c] = scalar(sqrt(squares));
    }
    __syncthreads();
    real greatest = 0;
    for (int c = 0; c < count; ++c) greatest = greater(real_part(sizes[c]), greatest);
    int sure = 0;  // vectors that the columns give
    for (int c = 0; c < count; ++c) {
        const real size = real_part(sizes[c]);
        int place = 0;
        for (int other = 0; other < count; ++other) {
            const real beside = real_part(sizes[other]);
            place += beside > size || (beside == size && other < c);
        }
        if (to_values && threadIdx.x == 0) to_values[place] = size * scale;
        const bool is_sure = size > epsilon() * greatest;
        sure += is_sure;
        if (!has_vectors) continue;
        if (is_sure)
            for (int i = threadIdx.x; i < length; i += threads)
                sorted[place * stride + i] = over(w[c * stride + i], size);
        for (int i = threadIdx.x; i < count; i += threads) {
            const scalar x = turned[c * turned_stride + i];
            if (wide && to_u) to_u[(long long)i * count + place] = x;
            if (!wide && to_vh) to_vh[(long long)place * count + i] = conjugate(x);
        }
    }
    __syncthreads();
    if (wide ? !to_vh : !to_u) return;
    for (int c = sure; c < kept; ++c) complete(sorted, stride, length, c, parts);
    for (int c = 0; c < kept; ++c)
        for (int i = threadIdx.x; i < length; i += threads) {
            if (wide)
                to_vh[(long long)c * length + i] = conjugate(sorted[c * stride + i]);
            else
                to_u[(long long)i * kept + c] = sorted[c * stride + i];
        }
}
)";

}  // namespace sinter::codegen
