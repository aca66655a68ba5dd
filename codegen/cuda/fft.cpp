// Source of the kernels that transform lines by Stockham's algorithm, which keeps elements in natural order (W. Cochran
// et al., "What is the fast Fourier transform?", Proc. IEEE 55, 1967), with one pass per radix. A thread keeps the
// elements of its butterflies in registers; between passes they are exchanged through shared memory.
#include <codegen/cuda/fft.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/fft_lines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sinter::codegen {
namespace {

constexpr const char* numbers_text = R"(
struct __align__(2 * sizeof(real)) cpx { real re, im; };
__device__ cpx make(const real re, const real im)
{
    cpx z;
    z.re = re;
    z.im = im;
    return z;
}
__device__ cpx add(const cpx x, const cpx y) { return make(x.re + y.re, x.im + y.im); }
__device__ cpx subtract(const cpx x, const cpx y) { return make(x.re - y.re, x.im - y.im); }
__device__ cpx multiply(const cpx x, const cpx y) { return make(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re); }
__device__ cpx scaled_add(const cpx x, const cpx y, const real f) { return make(x.re + f * y.re, x.im + f * y.im); }
__device__ cpx conjugate(const cpx x) { return make(x.re, -x.im); }

// exp(-2 pi i k / n) for 0 <= k < n. The angle is reduced to an eighth of a turn while it is an integer, so that
// nothing is rounded but the function itself.
template <class Int>
__device__ cpx root(const Int k, const Int n)
{
    const Int eighths = 8 * k;
    const int quarter = (eighths >= n) + (eighths >= 3 * n) + (eighths >= 5 * n) + (eighths >= 7 * n);
    const real turn = real(4 * k - quarter * n) / real(2 * n);  // in units of pi
    const real c = cospi(turn), s = sinpi(turn);
    const real cosine = quarter & 1 ? s : c, sine = quarter & 1 ? c : s;
    return make(quarter == 1 || quarter == 2 ? -cosine : cosine, quarter == 2 || quarter == 3 ? sine : -sine);
}

// A backward transform is a forward one of numbers whose parts are exchanged.
__device__ cpx exchanged(const cpx x) { return backward ? make(x.im, x.re) : x; }
)";

constexpr const char* pass_text = R"(
// Where element i of a line lies in shared memory: those that a pass of radix 16 stores one after the other are in
// different banks.
__device__ int padded(const int i) { return i + i / 16; }

// A line's place is the sum of four indices times their steps; that of its elements begins there.
struct steps { long long outer, a, b, c, element; };

template <int count>
__device__ void find_powers(cpx* power, const cpx w)
{
    power[0] = make(real(1), real(0));
#pragma unroll
    for (int k = 1; k < count; ++k)
        power[k] = k == 1 ? w : k % 2 == 0 ? multiply(power[k / 2], power[k / 2]) : multiply(power[k - 1], w);
}

// One of the transform's passes over the elements that the threads of a line have: `before` is the product of the
// radices of the passes before.
template <int radix, int before>
struct pass {
    static constexpr int butterflies = length / radix, held = (butterflies + threads - 1) / threads;

    __device__ static void compute(cpx* v, const int thread)
    {
#pragma unroll
        for (int h = 0; h < held; ++h) {
            const int j = thread + h * threads;
            if (butterflies % threads != 0 && j >= butterflies) continue;
            cpx* const x = v + h * radix;
            if (before > 1) {
                const cpx w = root(j % before, before * radix);
                cpx power[radix];
                find_powers<radix>(power, w);
#pragma unroll
                for (int k = 1; k < radix; ++k) x[k] = multiply(x[k], power[k]);
            }
            dft<radix>(x);
        }
    }
    __device__ static void read(cpx* v, const cpx* line, const int thread)
    {
#pragma unroll
        for (int h = 0; h < held; ++h) {
            const int j = thread + h * threads;
            if (butterflies % threads != 0 && j >= butterflies) continue;
#pragma unroll
            for (int k = 0; k < radix; ++k) v[h * radix + k] = line[padded(j + k * butterflies)];
        }
    }
    __device__ static void write(const cpx* v, cpx* line, const int thread)
    {
#pragma unroll
        for (int h = 0; h < held; ++h) {
            const int j = thread + h * threads;
            if (butterflies % threads != 0 && j >= butterflies) continue;
            const int first = j / before * before * radix + j % before;
#pragma unroll
            for (int k = 0; k < radix; ++k) line[padded(first + k * before)] = v[h * radix + k];
        }
    }
};
)";

/// The kernel; {name}, {registers}, {shared}, {first}, {between} and {last} are placeholders.
constexpr const char* pass_kernel_text = R"(
// Each block transforms `lines` lines of `count`. Twiddles: `total` is the length of the whole transform, of which a
// line's index b counts the elements that lie between its own.
extern "C" __global__ void __launch_bounds__(lines * threads) {name}(
    targets to, sources from, const long long count, const long long total, const long long scale_bits,
    const long long extent_a, const long long extent_b, const long long extent_c,
    const long long load_outer, const long long load_a, const long long load_b, const long long load_c,
    const long long load_step, const long long store_outer, const long long store_a, const long long store_b,
    const long long store_c, const long long store_step)
{{
{shared}    const steps loads = {{load_outer, load_a, load_b, load_c, load_step}};
    const steps stores = {{store_outer, store_a, store_b, store_c, store_step}};
    const real scale = real(__longlong_as_double(scale_bits));
    cpx v[{registers}];
    int line = loads_along ? threadIdx.x / threads : threadIdx.x % lines;
    int thread = loads_along ? threadIdx.x % threads : threadIdx.x / lines;
    long long c, b, a, outer;
    const auto find = [&](const long long index) {{
        outer = index, a = b = c = 0;
        if (extent_c > 1) c = outer % extent_c, outer /= extent_c;
        if (extent_b > 1) b = outer % extent_b, outer /= extent_b;
        if (extent_a > 1) a = outer % extent_a, outer /= extent_a;
    }};
    long long index = blockIdx.x * (long long)lines + line;
    find(index);
    if (index < count) {{
        typedef {first} first;
        const long long begin = outer * loads.outer, at = a * loads.a + b * loads.b + c * loads.c;
#pragma unroll
        for (int h = 0; h < first::held; ++h) {{
            const int j = thread + h * threads;
            if (first::butterflies % threads != 0 && j >= first::butterflies) continue;
#pragma unroll
            for (int k = 0; k < {first_radix}; ++k)
                v[h * {first_radix} + k] =
                    load_element(from, begin, at + (j + k * first::butterflies) * loads.element, total);
        }}
        first::compute(v, thread);
    }}
{between}
    if (index >= count) return;
    typedef {last} last;
    const long long begin = outer * stores.outer, at = a * stores.a + b * stores.b + c * stores.c;
#pragma unroll
    for (int h = 0; h < last::held; ++h) {{
        const int j = thread + h * threads;
        if (last::butterflies % threads != 0 && j >= last::butterflies) continue;
        cpx power[{last_radix}];
        cpx turn;
        if (twiddles) {{
            turn = root((long long)(b * j), total);
            find_powers<{last_radix}>(power, root((long long)(b * last::butterflies), total));
        }}
#pragma unroll
        for (int k = 0; k < {last_radix}; ++k) {{
            cpx x = v[h * {last_radix} + k];
            if (twiddles) x = multiply(x, multiply(turn, power[k]));
            store_element(to, begin, at + (j + k * last::butterflies) * stores.element, total, x, scale);
        }}
    }}
}}
)";

/// The exchange between two passes in shared memory. After the first, threads are reassigned to lines as stores need.
std::string exchange_text(const std::string& from, const std::string& to, bool is_first, bool is_dealt_anew) {
    std::string text;
    if (!is_first) text += "    __syncthreads();\n";
    text += fmt::format("    {}::write(v, held + line * pitch, thread);\n    __syncthreads();\n", from);
    if (is_dealt_anew)
        text +=
            "    line = loads_along ? threadIdx.x % lines : threadIdx.x / threads;\n"
            "    thread = loads_along ? threadIdx.x / lines : threadIdx.x % threads;\n"
            "    index = blockIdx.x * (long long)lines + line;\n    find(index);\n";
    return text + fmt::format("    {0}::read(v, held + line * pitch, thread);\n    {0}::compute(v, thread);\n", to);
}

std::string pass_source(const fft_source& s, const std::string& elements) {
    std::string butterflies;
    for (const int radix : std::set<int>(s.radices.begin(), s.radices.end()))
        butterflies += butterfly_text(radix) +
                       fmt::format("template <>\n__device__ void dft<{0}>(cpx* v) {{ dft_{0}(v); }}\n", radix);
    std::string between, name_of_last;
    int before = 1, registers = 1;
    std::vector<std::string> passes;
    for (const int radix : s.radices) {
        const std::string own = fmt::format("pass<{}, {}>", radix, before);
        const int in_turn = (s.length / radix + s.threads - 1) / s.threads;
        registers = std::max(registers, radix * in_turn);
        if (!passes.empty())
            between += exchange_text(passes.back(), own, passes.size() == 1,
                                     passes.size() == 1 && s.loads_along != s.stores_along);
        passes.push_back(own);
        before *= radix;
    }
    return fmt::format("constexpr int length = {}, threads = {}, lines = {};\n", s.length, s.threads, s.lines) +
           fmt::format("constexpr bool loads_along = {}, twiddles = {};\n", s.loads_along, s.twiddles) + numbers_text +
           elements + "template <int radix>\n__device__ void dft(cpx* v);\n" + butterflies + pass_text +
           fmt::format(fmt::runtime(pass_kernel_text), fmt::arg("name", fft_name(fft_kernel::pass, s)),
                       fmt::arg("registers", registers),
                       fmt::arg("shared", passes.size() > 1 ? "    constexpr int pitch = (length + length / 16) | 1;\n "
                                                              "   __shared__ cpx held[lines * pitch];\n"
                                                            : ""),
                       fmt::arg("first", passes.front()), fmt::arg("last", passes.back()),
                       fmt::arg("first_radix", s.radices.front()), fmt::arg("last_radix", s.radices.back()),
                       fmt::arg("between", between));
}

constexpr const char* chirp_text = R"(
// exp(-pi i j^2 / n).
__device__ cpx chirp(const long long j, const long long n) { return root(j * j % (2 * n), 2 * n); }
)";

constexpr const char* chirp_kernel_text = R"(
// Lines of n elements, of which `inner` lie side by side, become rows of `wide` elements.
extern "C" __global__ void __launch_bounds__(256) {name}(
    cpx* to, sources from, const long long count, const long long wide, const long long n, const long long inner,
    const long long line_length)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= count) return;
    const long long j = id % wide, line = id / wide;
    cpx x = make(real(0), real(0));
    if (j < n) {{
        const long long begin = line / inner * inner * line_length;
        x = multiply(load_element(from, begin, line % inner + j * inner, n), chirp(j, n));
    }}
    to[id] = x;
}}
)";

constexpr const char* filter_kernel_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(cpx* to, const long long wide, const long long n)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= wide) return;
    const long long j = id < n ? id : wide - id;
    to[id] = j < n ? conjugate(chirp(j, n)) : make(real(0), real(0));
}}
)";

constexpr const char* multiply_kernel_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(
    cpx* to, const cpx* filter, const long long count, const long long wide)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id < count) to[id] = multiply(to[id], filter[id % wide]);
}}
)";

constexpr const char* dechirp_kernel_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(
    targets to, const cpx* from, const long long count, const long long wide, const long long n, const long long inner,
    const long long line_length, const long long scale_bits)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= count) return;
    const long long k = id / inner % n, line = id / inner / n * inner + id % inner;
    const cpx x = multiply(from[line * wide + k], chirp(k, n));
    const long long begin = line / inner * inner * line_length;
    store_element(to, begin, line % inner + k * inner, n, x, real(__longlong_as_double(scale_bits)));
}}
)";

constexpr const char* scale_kernel_text = R"(
extern "C" __global__ void __launch_bounds__(256) {name}(real* to, const long long count, const long long scale_bits)
{{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id < count) to[id] *= real(__longlong_as_double(scale_bits));
}}
)";

const char* kernel_text(fft_kernel which) {
    switch (which) {
        case fft_kernel::chirp: return chirp_kernel_text;
        case fft_kernel::filter: return filter_kernel_text;
        case fft_kernel::multiply: return multiply_kernel_text;
        case fft_kernel::scale: return scale_kernel_text;
        case fft_kernel::pass:
        case fft_kernel::dechirp: break;
    }
    return dechirp_kernel_text;
}

}  // namespace

std::string fft_name(fft_kernel which, const fft_source& s) {
    const char* const kind = s.loads == fft_elements::real    ? "rfft"
                             : s.stores == fft_elements::real ? "irfft"
                             : s.backward                     ? "ifft"
                                                              : "fft";
    const char* const type = s.real == dtype::float32 ? "complex64" : "complex128";
    switch (which) {
        case fft_kernel::pass: return fmt::format("{}_{}_{}", kind, type, s.length);
        case fft_kernel::chirp: return fmt::format("{}_{}_chirp", kind, type);
        case fft_kernel::filter: return fmt::format("fft_{}_filter", type);
        case fft_kernel::multiply: return fmt::format("fft_{}_multiply", type);
        case fft_kernel::scale: return fmt::format("fft_{}_scale", type);
        case fft_kernel::dechirp: break;
    }
    return fmt::format("{}_{}_dechirp", kind, type);
}

std::string fft_text(fft_kernel which, const fft_source& s, const printed_element* from, const printed_element* to) {
    const std::string elements = line_functions(s, from, to);
    std::string text =
        fmt::format("typedef {} real;\nconstexpr bool backward = {};\nconstexpr int load_kind = {}, store_kind = {};\n",
                    s.real == dtype::float32 ? "float" : "double", s.backward, static_cast<int>(s.loads),
                    static_cast<int>(s.stores)) +
        line_types(s, from, to);
    if (which == fft_kernel::pass)
        text += pass_source(s, elements);
    else
        text += numbers_text + elements + chirp_text +
                fmt::format(fmt::runtime(kernel_text(which)), fmt::arg("name", fft_name(which, s)));
    std::string functions;
    for (const printed_element* function : {from, to})
        if (function) functions += function->declarations;
    if (from) text = with_function(std::move(text), "sources from, ", *from);
    if (to) text = with_function(std::move(text), "targets to, ", *to);
    return device_snippets(functions) + text;
}

}  // namespace sinter::codegen
