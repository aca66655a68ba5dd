// The source that all matrix factorizations share: scalar types, and reductions over a warp.
#include <codegen/cuda/linalg.hpp>

#include <codegen/analysis/device_snippets.hpp>

#include <fmt/format.h>

#include <bit>

namespace sinter::codegen {
namespace {

constexpr const char* common_text = R"(
constexpr unsigned all_lanes = 0xffffffffu;
__device__ real warp_sum(real x)
{
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(all_lanes, x, offset);
    return x;
}
// The greater of two; NaN is greater than all numbers.
__device__ real greater(const real x, const real y) { return x > y || x != x ? x : y; }
__device__ real warp_max(real x)
{
    for (int offset = 16; offset > 0; offset /= 2) x = greater(x, __shfl_xor_sync(all_lanes, x, offset));
    return x;
}
// A row's length in memory. An odd one spreads a column over the banks of shared memory.
__device__ index_type padded(const index_type n) { return capacity > 0 ? n | 1 : n; }
)";

constexpr const char* real_text = R"(
typedef real scalar;
__device__ scalar conjugate(const scalar x) { return x; }
__device__ real real_part(const scalar x) { return x; }
__device__ real modulus(const scalar x) { return fabs(x); }
__device__ real square(const scalar x) { return x * x; }
__device__ real largest_part(const scalar x) { return fabs(x); }
__device__ real sum_of_parts(const scalar x) { return fabs(x); }
__device__ scalar times(const scalar x, const real factor) { return x * factor; }
__device__ scalar over(const scalar x, const real divisor) { return x / divisor; }
__device__ scalar reflection(const real beta, const scalar alpha) { return (beta - alpha) / beta; }
__device__ bool is_real(const scalar) { return true; }
__device__ scalar warp_total(const scalar x) { return warp_sum(x); }
)";

constexpr const char* complex_text = R"(
typedef complex<real> scalar;
__device__ scalar conjugate(const scalar x) { return scalar(x.re, -x.im); }
__device__ real real_part(const scalar x) { return x.re; }
__device__ real modulus(const scalar x) { return hypot(x.re, x.im); }
__device__ real square(const scalar x) { return x.re * x.re + x.im * x.im; }
__device__ real largest_part(const scalar x)
{
    const real re = fabs(x.re), im = fabs(x.im);
    return re > im || re != re ? re : im;
}
__device__ real sum_of_parts(const scalar x) { return fabs(x.re) + fabs(x.im); }
__device__ scalar times(const scalar x, const real factor) { return scalar(x.re * factor, x.im * factor); }
__device__ scalar over(const scalar x, const real divisor) { return scalar(x.re / divisor, x.im / divisor); }
__device__ scalar reflection(const real beta, const scalar alpha)
{
    return scalar((beta - alpha.re) / beta, -alpha.im / beta);
}
__device__ bool is_real(const scalar x) { return x.im == real(0); }
__device__ scalar warp_total(const scalar x) { return scalar(warp_sum(x.re), warp_sum(x.im)); }
)";

/// The functions and the kernel of a source, in order.
std::string own_text(linalg_kernel which) {
    switch (which) {
        case linalg_kernel::solve: return std::string(elimination_text) + batch_axis_text + solve_text;
        case linalg_kernel::lu: return std::string(elimination_text) + lu_text;
        case linalg_kernel::det: return std::string(elimination_text) + det_text;
        case linalg_kernel::cholesky: return cholesky_text;
        case linalg_kernel::qr: return qr_text;
        case linalg_kernel::eigh: return std::string(jacobi_text) + eigh_text;
        case linalg_kernel::svd: break;
    }
    return std::string(jacobi_text) + svd_text;
}

/// The same for matrices whose rows are in registers.
std::string text_in_lanes(const linalg_source& s) {
    std::string text =
        fmt::format("constexpr int order = {}, lanes = {};\n", s.order, lanes_of_order(s.order)) + lanes_text;
    if (is_complex(s.type)) text += complex_from_lane_text;
    if (s.which == linalg_kernel::cholesky) return text + cholesky_in_lanes_text;
    const std::string eliminating = text + elimination_in_lanes_text;
    if (s.which == linalg_kernel::lu) return eliminating + lu_in_lanes_text;
    if (s.which == linalg_kernel::det) return eliminating + det_in_lanes_text;
    return eliminating + fmt::format("constexpr int sides = {};\n", s.sides) + batch_axis_text + solve_in_lanes_text;
}

}  // namespace

int lanes_of_order(int order) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(order))); }

bool fits_lanes(linalg_kernel which, dtype type, std::int64_t rows, std::int64_t columns) {
    const bool has_form = which == linalg_kernel::solve || which == linalg_kernel::lu || which == linalg_kernel::det ||
                          which == linalg_kernel::cholesky;
    return has_form && rows == columns && rows >= 1 && rows <= 32 &&
           rows * static_cast<std::int64_t>(size_of(type)) <= 64 * 4;
}

std::string linalg_text(const linalg_source& s) {
    const bool wide = real_of(s.type) == dtype::float64;
    std::string text = fmt::format(
        "typedef {} real;\ntypedef {} index_type;\nconstexpr int threads = {}, capacity = {};\n"
        "__device__ real epsilon() {{ return {}; }}\n__device__ real infinity() {{ return {}; }}\n",
        wide ? "double" : "float", s.capacity > 0 ? "int" : "long long", s.threads, s.capacity,
        wide ? "0x1p-52" : "0x1p-23f",
        wide ? "__longlong_as_double(0x7ff0000000000000ll)" : "__int_as_float(0x7f800000)");
    text += common_text;
    text += is_complex(s.type) ? complex_text : real_text;
    if (s.order > 0) {
        text += text_in_lanes(s);
        return device_snippets(text) + text;
    }
    if (s.capacity > 0) text += "__shared__ scalar held[capacity];\n";
    text += fmt::format(
        "// Where the block works: `bytes` are those of a matrix in the workspace.\n"
        "__device__ scalar* own_space(char* const space, const long long bytes)\n"
        "{{\n    {}\n}}\n",
        s.capacity > 0 ? "(void)space, (void)bytes;\n    return held;"
                       : "return reinterpret_cast<scalar*>(space + blockIdx.x * bytes);");
    text += own_text(s.which);
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
