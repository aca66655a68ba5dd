// Kernels of two-dimensional grids: a stencil, a transposed operand, a function of all pairs.

// The five-point Laplacian of the interior of an (n + 2, m + 2) array; m is even. A thread processes H rows of two
// columns and keeps the rows above and below in registers.
template <int H>
DEVICE void laplacian(float2* out, const float2* x, int n, int m) {
    const int pairs = m / 2, stride = pairs + 1, columns = (pairs + 127) / 128;
    const int j = blockIdx.x % columns * 128 + threadIdx.x, top = blockIdx.x / columns * H;
    if (j >= pairs) return;
    const float2* in = x + (long long)top * stride + j;
    float2* to = out + (long long)top * pairs + j;
    const int rows = min(H, n - top);
    // left is columns 2j, 2j + 1 of x, right the next two: the result's columns are 2j + 1 and 2j + 2 of x.
    float2 left[H + 2], right[H + 2];
#pragma unroll
    for (int r = 0; r < H + 2; ++r)
        if (r < rows + 2) {
            left[r] = in[r * stride];
            right[r] = in[r * stride + 1];
        }
#pragma unroll
    for (int r = 0; r < H; ++r)
        if (r < rows) {
            const float a = left[r + 1].x, b = left[r + 1].y, c = right[r + 1].x, d = right[r + 1].y;
            to[(long long)r * pairs] = {left[r].y + left[r + 2].y + a + c - 4.f * b,
                                        right[r].x + right[r + 2].x + b + d - 4.f * c};
        }
}
KERNEL __launch_bounds__(128) laplacian_4(float2* out, const float2* x, int n, int m) { laplacian<4>(out, x, n, m); }
KERNEL __launch_bounds__(128) laplacian_8(float2* out, const float2* x, int n, int m) { laplacian<8>(out, x, n, m); }
KERNEL __launch_bounds__(128) laplacian_16(float2* out, const float2* x, int n, int m) { laplacian<16>(out, x, n, m); }

// x + transpose(y), n by n, n a multiple of 64: transposes a tile of y through shared memory, padded by one.
template <int Side, int Threads>
DEVICE void add_transposed(float4* out, const float4* x, const float4* y, int n) {
    __shared__ float tile[Side][Side + 1];
    constexpr int lanes = Side / 4, rows = Threads / lanes, parts = Side / rows;
    const int tiles = n / Side, i0 = blockIdx.x / tiles * Side, j0 = blockIdx.x % tiles * Side;
    const int lane = threadIdx.x % lanes, r = threadIdx.x / lanes;
    float4 a[parts], b[parts];
#pragma unroll
    for (int p = 0; p < parts; ++p) {
        b[p] = __ldcs(y + ((long long)(j0 + r + p * rows) * n + i0) / 4 + lane);
        a[p] = __ldcs(x + ((long long)(i0 + r + p * rows) * n + j0) / 4 + lane);
    }
#pragma unroll
    for (int p = 0; p < parts; ++p)
#pragma unroll
        for (int e = 0; e < 4; ++e) tile[4 * lane + e][r + p * rows] = at(b[p], e);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < parts; ++p) {
#pragma unroll
        for (int e = 0; e < 4; ++e) at(a[p], e) += tile[r + p * rows][4 * lane + e];
        __stcs(out + ((long long)(i0 + r + p * rows) * n + j0) / 4 + lane, a[p]);
    }
}
KERNEL __launch_bounds__(256) add_transposed_32(float4* out, const float4* x, const float4* y, int n) {
    add_transposed<32, 256>(out, x, y, n);
}
KERNEL __launch_bounds__(256) add_transposed_64(float4* out, const float4* x, const float4* y, int n) {
    add_transposed<64, 256>(out, x, y, n);
}
KERNEL __launch_bounds__(512) add_transposed_64_512(float4* out, const float4* x, const float4* y, int n) {
    add_transposed<64, 512>(out, x, y, n);
}

// exp(-(x_i - y_j)^2): one thread computes four neighbouring j and H rows. n is a multiple of H, m of 1024.
template <int H>
DEVICE void gaussian(float4* out, const float* x, const float4* y, int m) {
    const int columns = m / 1024, i0 = blockIdx.x / columns * H, j = blockIdx.x % columns * 256 + threadIdx.x;
    const float4 b = y[j];
#pragma unroll
    for (int r = 0; r < H; ++r) {
        const float a = x[i0 + r];
        float4 v;
#pragma unroll
        for (int e = 0; e < 4; ++e) at(v, e) = expf(-(a - at(b, e)) * (a - at(b, e)));
        out[(long long)(i0 + r) * (m / 4) + j] = v;
    }
}
KERNEL __launch_bounds__(256) gaussian_4(float4* out, const float* x, const float4* y, int m) { gaussian<4>(out, x, y, m); }
KERNEL __launch_bounds__(256) gaussian_8(float4* out, const float* x, const float4* y, int m) { gaussian<8>(out, x, y, m); }
KERNEL __launch_bounds__(256) gaussian_16(float4* out, const float* x, const float4* y, int m) { gaussian<16>(out, x, y, m); }
