// The kernels of elimination and Cholesky factorization: G. Golub and C. Van Loan, Matrix Computations, 4th edition,
// algorithms 3.4.1 (with the right-hand sides as further columns) and 4.2.2.
#include <codegen/cuda/linalg.hpp>

namespace sinter::codegen {

const char* const elimination_text = R"(
__shared__ int chosen;

// The row, from row j on, with the greatest element in column j; of equal ones the first.
__device__ int pivot_row(const scalar* const a, const index_type stride, const int rows, const int j)
{
    if (threadIdx.x < 32) {
        real best = real(-1);
        int row = j;
        for (int i = j + int(threadIdx.x); i < rows; i += 32) {
            const real size = sum_of_parts(a[i * stride + j]);
            if (size > best) {
                best = size;
                row = i;
            }
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            const real other = __shfl_xor_sync(all_lanes, best, offset);
            const int other_row = __shfl_xor_sync(all_lanes, row, offset);
            if (other > best || (other == best && other_row < row)) {
                best = other;
                row = other_row;
            }
        }
        if (threadIdx.x == 0) chosen = row;
    }
    __syncthreads();
    return chosen;
}

// L and U in the place of a matrix of rows x columns, which has `more` columns beside it that are exchanged and
// eliminated with it. Returns whether the number of exchanges is odd. A column of zeros is left unchanged.
__device__ bool eliminate(scalar* const a, const index_type stride, const int rows, const int columns, const int more,
                          long long* const pivots)
{
    const int steps = rows < columns ? rows : columns, width = columns + more;
    bool odd = false;
    for (int j = 0; j < steps; ++j) {
        const int p = pivot_row(a, stride, rows, j);
        if (p != j)
            for (int k = threadIdx.x; k < width; k += threads) {
                const scalar held_back = a[j * stride + k];
                a[j * stride + k] = a[p * stride + k];
                a[p * stride + k] = held_back;
            }
        odd = odd != (p != j);
        if (pivots && threadIdx.x == 0) pivots[j] = p;
        __syncthreads();
        const scalar pivot = a[j * stride + j];
        if (pivot == scalar(0)) continue;
        for (int i = j + 1 + int(threadIdx.x); i < rows; i += threads)
            a[i * stride + j] = a[i * stride + j] / pivot;
        __syncthreads();
        const index_type right = width - j - 1, count = (rows - j - 1) * right;
        for (index_type e = threadIdx.x; e < count; e += threads) {
            const index_type i = j + 1 + e / right, k = j + 1 + e % right;
            a[i * stride + k] = a[i * stride + k] - a[i * stride + j] * a[j * stride + k];
        }
        __syncthreads();
    }
    return odd;
}

// Rows of a matrix in row-major order, read into rows `stride` apart.
__device__ void read(scalar* const to, const index_type stride, const scalar* const from, const int rows,
                     const int columns)
{
    const index_type count = index_type(rows) * columns;
    for (index_type e = threadIdx.x; e < count; e += threads) to[e / columns * stride + e % columns] = from[e];
}
)";

const char* const batch_axis_text = R"(
// The element of an operand at which its matrix lies: `extents` are those of the result before its last
// two axes, and an axis along which the operand is repeated has a stride of 0.
struct batch_axis { long long extent, stride_a, stride_b; };
)";

const char* const solve_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ x, const scalar* __restrict__ a, const scalar* __restrict__ b, char* __restrict__ space,
    const long long bytes, const long long size, const long long sides, const long long extent0,
    const long long step_a0, const long long step_b0, const long long extent1, const long long step_a1,
    const long long step_b1, const long long extent2, const long long step_a2, const long long step_b2,
    const long long extent3, const long long step_a3, const long long step_b3, const long long extent4,
    const long long step_a4, const long long step_b4, const long long extent5, const long long step_a5,
    const long long step_b5)
{
    const batch_axis axes[6] = {{extent0, step_a0, step_b0}, {extent1, step_a1, step_b1}, {extent2, step_a2, step_b2},
                                {extent3, step_a3, step_b3}, {extent4, step_a4, step_b4}, {extent5, step_a5, step_b5}};
    long long rest = blockIdx.x, of_a = 0, of_b = 0;
    for (int axis = 5; axis >= 0; --axis) {
        const long long i = rest % axes[axis].extent;
        rest /= axes[axis].extent;
        of_a += i * axes[axis].stride_a;
        of_b += i * axes[axis].stride_b;
    }
    const int n = int(size), m = int(sides);
    const index_type stride = padded(n + m);
    scalar* const w = own_space(space, bytes);
    read(w, stride, a + of_a, n, n);
    if (b)
        read(w + n, stride, b + of_b, n, m);
    else
        for (index_type e = threadIdx.x; e < index_type(n) * m; e += threads)
            w[e / m * stride + n + e % m] = scalar(e / m == e % m ? 1 : 0);
    __syncthreads();
    eliminate(w, stride, n, n, m, nullptr);
    for (int j = n - 1; j >= 0; --j) {
        for (int c = threadIdx.x; c < m; c += threads)
            w[j * stride + n + c] = w[j * stride + n + c] / w[j * stride + j];
        __syncthreads();
        for (index_type e = threadIdx.x; e < index_type(j) * m; e += threads) {
            const index_type i = e / m, c = n + e % m;
            w[i * stride + c] = w[i * stride + c] - w[i * stride + j] * w[j * stride + c];
        }
        __syncthreads();
    }
    scalar* const to = x + (long long)blockIdx.x * n * m;
    for (index_type e = threadIdx.x; e < index_type(n) * m; e += threads) to[e] = w[e / m * stride + n + e % m];
}
)";

const char* const lu_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ packed, long long* __restrict__ pivots, const scalar* __restrict__ a,
    char* __restrict__ space, const long long bytes, const long long rows, const long long columns)
{
    const int m = int(rows), n = int(columns);
    const index_type stride = padded(n);
    scalar* const w = own_space(space, bytes);
    const long long first = blockIdx.x * (rows * columns);
    read(w, stride, a + first, m, n);
    __syncthreads();
    eliminate(w, stride, m, n, 0, pivots ? pivots + (long long)blockIdx.x * (m < n ? m : n) : nullptr);
    __syncthreads();
    if (packed)
        for (index_type e = threadIdx.x; e < index_type(m) * n; e += threads)
            packed[first + e] = w[e / n * stride + e % n];
}
)";

const char* const det_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ det, scalar* __restrict__ sign, real* __restrict__ log_modulus, const scalar* __restrict__ a,
    char* __restrict__ space, const long long bytes, const long long size)
{
    const int n = int(size);
    const index_type stride = padded(n);
    scalar* const w = own_space(space, bytes);
    read(w, stride, a + blockIdx.x * (size * size), n, n);
    __syncthreads();
    const bool odd = eliminate(w, stride, n, n, 0, nullptr);
    __syncthreads();
    if (threadIdx.x != 0) return;
    scalar product = scalar(odd ? -1 : 1), direction = product;
    real logs = 0;
    for (int j = 0; j < n; ++j) {
        const scalar x = w[j * stride + j];
        const real size_of_x = modulus(x);
        product = product * x;
        logs += log(size_of_x);
        direction = size_of_x == real(0) ? scalar(0) : direction * over(x, size_of_x);
    }
    if (det) det[blockIdx.x] = product;
    if (sign) sign[blockIdx.x] = direction;
    if (log_modulus) log_modulus[blockIdx.x] = logs;
}
)";

const char* const cholesky_text = R"(
// The lower factor, or its conjugate transpose. A matrix that is not positive definite gives NaN everywhere.
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ factor, const scalar* __restrict__ a, char* __restrict__ space, const long long bytes,
    const long long size, const long long upper)
{
    const int n = int(size);
    const index_type stride = padded(n);
    scalar* const w = own_space(space, bytes);
    const long long first = blockIdx.x * (size * size);
    for (index_type e = threadIdx.x; e < index_type(n) * n; e += threads) {
        const index_type i = e / n, j = e % n;
        const scalar x = a[first + e];
        if (upper ? j >= i : j <= i) w[upper ? j * stride + i : i * stride + j] = upper ? conjugate(x) : x;
    }
    __syncthreads();
    for (int j = 0; j < n; ++j) {
        const real square_of_pivot = real_part(w[j * stride + j]);
        const real pivot = square_of_pivot > 0 ? sqrt(square_of_pivot) : infinity() - infinity();
        __syncthreads();
        for (int i = j + int(threadIdx.x); i < n; i += threads)
            w[i * stride + j] = i == j ? scalar(pivot) : over(w[i * stride + j], pivot);
        __syncthreads();
        const index_type below = n - j - 1;
        for (index_type e = threadIdx.x; e < below * below; e += threads) {
            const index_type i = j + 1 + e / below, k = j + 1 + e % below;
            if (k <= i) w[i * stride + k] = w[i * stride + k] - w[i * stride + j] * conjugate(w[k * stride + j]);
        }
        __syncthreads();
    }
    const bool failed = n > 0 && !(real_part(w[(n - 1) * stride + n - 1]) > 0);
    for (index_type e = threadIdx.x; e < index_type(n) * n; e += threads) {
        const index_type i = e / n, j = e % n;
        scalar x = scalar(0);
        if (upper ? j >= i : j <= i)
            x = failed ? scalar(infinity() - infinity()) : upper ? conjugate(w[j * stride + i]) : w[i * stride + j];
        factor[first + e] = x;
    }
}
)";

}  // namespace sinter::codegen
