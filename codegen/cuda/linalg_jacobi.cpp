// The kernel of eigenvalues, and what the singular values share with it: cyclic Jacobi rotations, two-sided for
// Hermitian matrices, one-sided on the columns of others (M. Hestenes, "Inversion of matrices by biorthogonalization
// and related results", J. SIAM 6, 1958). G. Golub and C. Van Loan, Matrix Computations, 4th edition, sections 8.5 and
// 8.6.3.
#include <codegen/cuda/linalg.hpp>

namespace sinter::codegen {

const char* const jacobi_text = R"(
// Maximum number of sweeps over all pairs; fewer than ten suffice unless there are NaN.
constexpr int max_sweeps = 40;
__shared__ real shared_scale;

// Pair number k of a round, of `even` players, of which the last one may be none.
struct pair { int p, q; };
__device__ pair pair_of(const int even, const int round, const int k)
{
    const int last = even - 1;
    const int x = k == 0 ? last : (round + k) % last, y = (round - k + last) % last;
    return x < y ? pair{x, y} : pair{y, x};
}

// The rotation after which the columns p and q are p c - q w s and p s + q w c: it makes the element `across` 0 of a
// Hermitian matrix of two rows whose diagonal is (first, second).
struct rotation { real c, s; scalar w; };
__device__ rotation rotation_of(const real first, const real second, const scalar across)
{
    const real size = modulus(across), tau = (second - first) / (2 * size);
    const real t = copysign(1 / (fabs(tau) + sqrt(1 + tau * tau)), tau), c = 1 / sqrt(1 + t * t);
    return {c, t * c, over(conjugate(across), size)};
}

// The greatest part of all elements: NaN where one is NaN.
__device__ real greatest_part(const scalar* const from, const long long count)
{
    if (threadIdx.x < 32) {
        real most = 0;
        for (long long i = threadIdx.x; i < count; i += 32) most = greater(largest_part(from[i]), most);
        most = warp_max(most);
        if (threadIdx.x == 0) shared_scale = most;
    }
    __syncthreads();
    return shared_scale;
}

__device__ void fill(scalar* const to, const long long count, const scalar value)
{
    if (to)
        for (long long i = threadIdx.x; i < count; i += threads) to[i] = value;
}
__device__ void fill_real(real* const to, const long long count, const real value)
{
    if (to)
        for (long long i = threadIdx.x; i < count; i += threads) to[i] = value;
}
)";

const char* const eigh_text = R"(
__shared__ real shared_limit;

// Elements of the matrix that count as zeros.
__device__ real limit_of(const scalar* const w, const index_type stride, const int n)
{
    if (threadIdx.x < 32) {
        real squares = 0;
        for (index_type e = threadIdx.x; e < index_type(n) * n; e += 32) squares += square(w[e / n * stride + e % n]);
        squares = warp_sum(squares);
        if (threadIdx.x == 0) shared_limit = epsilon() / 2 * sqrt(squares);
    }
    __syncthreads();
    return shared_limit;
}

// One round: rotates disjoint pairs of rows and columns. The rotations lie in three rows of n / 2 elements. Whether
// this thread has found an element that is not yet zero.
__device__ bool rotate_round(scalar* const w, scalar* const vectors, scalar* const rotations, const index_type stride,
                             const int n, const int round, const real limit)
{
    const int even = n + (n & 1), pairs = even / 2;
    bool found = false;
    for (int k = threadIdx.x; k < pairs; k += threads) {
        const pair x = pair_of(even, round, k);
        rotation turn = {1, 0, scalar(1)};
        if (x.q < n && modulus(w[x.p * stride + x.q]) > limit) {
            found = true;
            turn = rotation_of(real_part(w[x.p * stride + x.p]), real_part(w[x.q * stride + x.q]),
                               w[x.p * stride + x.q]);
        }
        rotations[k] = scalar(turn.c);
        rotations[pairs + k] = scalar(turn.s);
        rotations[2 * pairs + k] = turn.w;
    }
    __syncthreads();
    const index_type count = index_type(pairs) * n;
    for (index_type e = threadIdx.x; e < count; e += threads) {  // columns, and rows of the transposed vectors
        const int k = int(e / n);
        const index_type i = e % n;
        const pair x = pair_of(even, round, k);
        const real c = real_part(rotations[k]), s = real_part(rotations[pairs + k]);
        if (x.q >= n || s == real(0)) continue;
        const scalar turn = rotations[2 * pairs + k];
        const scalar p = w[i * stride + x.p], q = turn * w[i * stride + x.q];
        w[i * stride + x.p] = times(p, c) - times(q, s);
        w[i * stride + x.q] = times(p, s) + times(q, c);
        if (!vectors) continue;
        const scalar of_p = vectors[x.p * stride + i], of_q = turn * vectors[x.q * stride + i];
        vectors[x.p * stride + i] = times(of_p, c) - times(of_q, s);
        vectors[x.q * stride + i] = times(of_p, s) + times(of_q, c);
    }
    __syncthreads();
    for (index_type e = threadIdx.x; e < count; e += threads) {  // rows
        const int k = int(e / n);
        const index_type i = e % n;
        const pair x = pair_of(even, round, k);
        const real c = real_part(rotations[k]), s = real_part(rotations[pairs + k]);
        if (x.q >= n || s == real(0)) continue;
        const scalar p = w[x.p * stride + i], q = conjugate(rotations[2 * pairs + k]) * w[x.q * stride + i];
        w[x.p * stride + i] = i == x.q ? scalar(0) : times(p, c) - times(q, s);
        w[x.q * stride + i] = i == x.p ? scalar(0) : times(p, s) + times(q, c);
    }
    __syncthreads();
    return found;
}

extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    real* __restrict__ values, scalar* __restrict__ vectors, const scalar* __restrict__ a, char* __restrict__ space,
    const long long bytes, const long long size, const long long upper)
{
    const int n = int(size);
    const index_type stride = padded(n);
    scalar* const w = own_space(space, bytes);
    scalar* const rotations = w + n * stride;
    scalar* const turned = vectors ? rotations + 3 * ((n + 1) / 2) : nullptr;
    const long long count = size * size;
    const scalar* const from = a + blockIdx.x * count;
    real* const to_values = values ? values + blockIdx.x * size : nullptr;
    scalar* const to_vectors = vectors ? vectors + blockIdx.x * count : nullptr;
    for (index_type e = threadIdx.x; e < count; e += threads) {
        const index_type i = e / n, j = e % n;
        const bool is_given = upper ? j >= i : j <= i;
        const scalar x = is_given ? from[e] : conjugate(from[j * n + i]);
        w[i * stride + j] = i == j ? scalar(real_part(x)) : x;
        if (turned) turned[i * stride + j] = scalar(i == j ? 1 : 0);
    }
    __syncthreads();
    real most = 0;  // of the triangle that counts
    for (int i = 0; i < n; ++i)
        for (int j = threadIdx.x % 32; j < n; j += 32) most = greater(largest_part(w[i * stride + j]), most);
    most = warp_max(most);
    if (!(most < infinity())) {
        fill_real(to_values, size, infinity() - infinity());
        fill(to_vectors, count, scalar(infinity() - infinity()));
        return;
    }
    const real scale = most > 0 ? most : real(1);
    __syncthreads();
    for (index_type e = threadIdx.x; e < count; e += threads)
        w[e / n * stride + e % n] = over(w[e / n * stride + e % n], scale);
    __syncthreads();
    const real limit = limit_of(w, stride, n);
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        bool found = false;
        for (int round = 0; round < n - 1 + (n & 1); ++round)
            found = rotate_round(w, turned, rotations, stride, n, round, limit) || found;
        if (!__syncthreads_or(found)) break;
    }
    for (int i = threadIdx.x; i < n; i += threads) {  // its place in ascending order
        const real value = real_part(w[i * stride + i]);
        int place = 0;
        for (int j = 0; j < n; ++j) {
            const real other = real_part(w[j * stride + j]);
            place += other < value || (other == value && j < i);
        }
        if (to_values) to_values[place] = value * scale;
        if (to_vectors)
            for (int j = 0; j < n; ++j) to_vectors[(long long)j * n + place] = turned[i * stride + j];
    }
}
)";

}  // namespace sinter::codegen
