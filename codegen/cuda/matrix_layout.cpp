// Source of the helper kernels of linear-algebra libraries.
#include <codegen/cuda/matrix_layout.hpp>

#include <codegen/analysis/device_snippets.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* transpose_text = R"(
// A matrix of rows x columns, which lies in rows; a block turns 32 x 32 elements.
extern "C" __global__ void __launch_bounds__(256) {name}(
    scalar* __restrict__ to, const loaded* __restrict__ from, const long long rows, const long long columns)
{{
    __shared__ scalar tile[32][33];
    const long long tiles = (columns + 31) / 32;
    const long long row = blockIdx.x / tiles * 32, column = blockIdx.x % tiles * 32;
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (int i = y; i < 32; i += 8)
        if (row + i < rows && column + x < columns) tile[i][x] = turned(from[(row + i) * columns + column + x]);
    __syncthreads();
    for (int i = y; i < 32; i += 8)
        if (column + i < columns && row + x < rows) to[(column + i) * rows + row + x] = tile[x][i];
}}
)";

constexpr const char* identity_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(scalar* __restrict__ to, const long long n)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id < n * n) to[id] = scalar(id % (n + 1) == 0 ? 1 : 0);
}}
)";

constexpr const char* triangle_text = R"(
// Copies the upper or the lower triangle of a matrix, of which rows begin `stride` elements apart, and writes zeros
// beside it.
extern "C" __global__ void __launch_bounds__(256) {name}(
    scalar* to, const scalar* from, const long long rows, const long long columns, const long long stride,
    const long long upper)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= rows * columns) return;
    const long long row = id / columns, column = id % columns;
    to[id] = (upper ? column >= row : column <= row) ? from[row * stride + column] : scalar(0);
}}
)";

constexpr const char* pivots_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(
    long long* __restrict__ to, const long long* __restrict__ from, const long long count)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id < count) to[id] = from[id] - 1;
}}
)";

constexpr const char* inspect_text = R"(
// Sets the flag where the matrix has NaN, or with `infinities` one of those. Triangle 1 is the lower one, 2 the upper
// one.
extern "C" __global__ void __launch_bounds__(256) {name}(
    int* __restrict__ flag, const scalar* __restrict__ from, const long long rows, const long long columns,
    const long long triangle, const long long infinities)
{{
    bool found = false;
    for (long long id = blockIdx.x * 256ll + threadIdx.x; id < rows * columns; id += gridDim.x * 256ll) {{
        const long long row = id / columns, column = id % columns;
        if (triangle == 1 ? column > row : triangle == 2 && column < row) continue;
        const real size = sum_of_parts(from[id]);
        found |= infinities ? !(size < infinity()) : size != size;
    }}
    if (__syncthreads_or(found) && threadIdx.x == 0) *flag = 1;
}}
)";

constexpr const char* spoil_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(
    scalar* __restrict__ to, const int* __restrict__ flag, const int* __restrict__ failure, const long long count)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id < count && (*flag != 0 || (failure && *failure > 0))) to[id] = scalar(infinity() - infinity());
}}
)";

constexpr const char* determinant_text = R"(
// One block. Products are not reordered from run to run.
extern "C" __global__ void __launch_bounds__(256) {name}(
    scalar* __restrict__ det, scalar* __restrict__ sign, real* __restrict__ log_modulus,
    const scalar* __restrict__ factors, const long long* __restrict__ pivots, const long long n)
{{
    __shared__ scalar products[256], signs[256];
    __shared__ real logs[256];
    const int t = threadIdx.x;
    scalar product(1), direction(1);
    real log_sum = 0;
    for (long long k = t; k < n; k += 256) {{
        const scalar x = factors[k * (n + 1)];
        const scalar exchanged(pivots[k] == k + 1 ? 1 : -1);
        const real size = modulus(x);
        product = product * x * exchanged;
        log_sum += log(size);
        direction = size == real(0) ? scalar(0) : direction * (x / scalar(size)) * exchanged;
    }}
    products[t] = product, signs[t] = direction, logs[t] = log_sum;
    for (int half = 128; half > 0; half /= 2) {{
        __syncthreads();
        if (t < half) {{
            products[t] = products[t] * products[t + half];
            signs[t] = signs[t] * signs[t + half];
            logs[t] += logs[t + half];
        }}
    }}
    if (t > 0) return;
    if (det) *det = products[0];
    if (sign) *sign = signs[0];
    if (log_modulus) *log_modulus = logs[0];
}}
)";

const char* text_of_layout(layout_kernel which) {
    switch (which) {
        case layout_kernel::transpose: return transpose_text;
        case layout_kernel::identity: return identity_text;
        case layout_kernel::triangle: return triangle_text;
        case layout_kernel::pivots: return pivots_text;
        case layout_kernel::inspect: return inspect_text;
        case layout_kernel::spoil: return spoil_text;
        case layout_kernel::determinant: break;
    }
    return determinant_text;
}

}  // namespace

std::string layout_name(const layout_source& s) {
    const char* const names[] = {"transpose", "identity", "triangle", "pivots", "determinant", "inspect", "spoil"};
    return fmt::format("{}_{}{}{}", names[static_cast<int>(s.which)], name(s.type), s.from_real ? "_from_real" : "",
                       s.conjugates ? "_conjugate" : "");
}

std::string layout_text(const layout_source& s) {
    const bool wide = real_of(s.type) == dtype::float64;
    std::string text =
        fmt::format("typedef {} real;\n__device__ real infinity() {{ return {}; }}\n", wide ? "double" : "float",
                    wide ? "__longlong_as_double(0x7ff0000000000000ll)" : "__int_as_float(0x7f800000)");
    if (is_complex(s.type)) {
        text +=
            "typedef complex<real> scalar;\n__device__ real modulus(const scalar x) { return hypot(x.re, x.im); }\n"
            "__device__ real sum_of_parts(const scalar x) { return fabs(x.re) + fabs(x.im); }\n";
        if (s.which == layout_kernel::transpose) {
            text += fmt::format("typedef {}loaded;\n", s.from_real ? "real " : "scalar ");
            text += fmt::format("__device__ scalar turned(const loaded x) {{ return {}; }}\n",
                                s.from_real    ? "scalar(x)"
                                : s.conjugates ? "scalar(x.re, -x.im)"
                                               : "x");
        }
    } else {
        text +=
            "typedef real scalar;\n__device__ real modulus(const scalar x) { return fabs(x); }\n"
            "__device__ real sum_of_parts(const scalar x) { return fabs(x); }\n";
        if (s.which == layout_kernel::transpose)
            text += "typedef real loaded;\n__device__ scalar turned(const loaded x) { return x; }\n";
    }
    text += fmt::format(fmt::runtime(text_of_layout(s.which)), fmt::arg("name", layout_name(s)));
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
