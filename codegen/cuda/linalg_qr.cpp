// The kernel of the QR decomposition: Householder reflections, with LAPACK's choice of signs (?larfg). G. Golub and
// C. Van Loan, Matrix Computations, 4th edition, algorithms 5.1.1 and 5.2.1.
#include <codegen/cuda/linalg.hpp>

namespace sinter::codegen {

const char* const qr_text = R"(
__shared__ scalar tau_of_column, divisor_of_column;

// The reflection that makes zeros below element (j, j): I - tau v v^H, where v has 1 at j, and below it what replaces
// column j. Called by all threads; (j, j) becomes what the reflection makes of it.
__device__ void reflect_column(scalar* const w, const index_type stride, const int rows, const int j,
                               scalar* const taus)
{
    if (threadIdx.x < 32) {
        const scalar alpha = w[j * stride + j];
        real most = 0;
        for (int i = j + 1 + int(threadIdx.x); i < rows; i += 32) most = greater(largest_part(w[i * stride + j]), most);
        most = warp_max(most);
        const bool is_done = most == real(0) && is_real(alpha);
        most = greater(largest_part(alpha), most);
        real squares = 0;
        if (!is_done)
            for (int i = j + 1 + int(threadIdx.x); i < rows; i += 32) squares += square(over(w[i * stride + j], most));
        squares = warp_sum(squares);
        if (threadIdx.x == 0) {
            const real norm = is_done ? real(0) : most * sqrt(squares + square(over(alpha, most)));
            const real beta = copysign(norm, -real_part(alpha));
            tau_of_column = is_done ? scalar(0) : reflection(beta, alpha);
            divisor_of_column = is_done ? scalar(1) : alpha - scalar(beta);
            if (!is_done) w[j * stride + j] = scalar(beta);
            taus[j] = tau_of_column;
        }
    }
    __syncthreads();
    const scalar divisor = divisor_of_column;
    for (int i = j + 1 + int(threadIdx.x); i < rows; i += threads) w[i * stride + j] = w[i * stride + j] / divisor;
    __syncthreads();
}

// Applies I - tau v v^H to one column of another matrix.
__device__ void reflect(scalar* const to, const index_type to_stride, const scalar* const w, const index_type stride,
                        const int rows, const int j, const int column, const scalar tau)
{
    scalar inner = to[j * to_stride + column];
    for (int i = j + 1; i < rows; ++i) inner = inner + conjugate(w[i * stride + j]) * to[i * to_stride + column];
    inner = tau * inner;
    to[j * to_stride + column] = to[j * to_stride + column] - inner;
    for (int i = j + 1; i < rows; ++i)
        to[i * to_stride + column] = to[i * to_stride + column] - w[i * stride + j] * inner;
}

// Q has `kept` columns, R as many rows.
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ q, scalar* __restrict__ r, const scalar* __restrict__ a, char* __restrict__ space,
    const long long bytes, const long long rows, const long long columns, const long long kept_columns)
{
    const int m = int(rows), n = int(columns), kept = int(kept_columns), steps = m < n ? m : n;
    const index_type stride = padded(n), q_stride = padded(kept);
    scalar* const w = own_space(space, bytes);
    scalar* const taus = w + m * stride;
    scalar* const product = taus + steps;
    const scalar* const from = a + blockIdx.x * (rows * columns);
    for (index_type e = threadIdx.x; e < index_type(m) * n; e += threads) w[e / n * stride + e % n] = from[e];
    __syncthreads();
    for (int j = 0; j < steps; ++j) {
        reflect_column(w, stride, m, j, taus);
        const scalar tau = conjugate(tau_of_column);
        for (int column = j + 1 + int(threadIdx.x); column < n; column += threads)
            reflect(w, stride, w, stride, m, j, column, tau);
        __syncthreads();
    }
    if (r) {
        scalar* const to = r + blockIdx.x * (kept_columns * columns);
        for (index_type e = threadIdx.x; e < index_type(kept) * n; e += threads)
            to[e] = e / n <= e % n ? w[e / n * stride + e % n] : scalar(0);
    }
    if (!q) return;
    // each thread has its own columns, so none waits for another
    for (int column = threadIdx.x; column < kept; column += threads) {
        for (int i = 0; i < m; ++i) product[i * q_stride + column] = scalar(i == column ? 1 : 0);
        for (int j = steps - 1; j >= 0; --j)
            if (j <= column) reflect(product, q_stride, w, stride, m, j, column, taus[j]);
    }
    __syncthreads();
    scalar* const to = q + blockIdx.x * (rows * kept_columns);
    for (index_type e = threadIdx.x; e < index_type(m) * kept; e += threads)
        to[e] = product[e / kept * q_stride + e % kept];
}
)";

}  // namespace sinter::codegen
