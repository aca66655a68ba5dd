// Source of the functions that load and store elements of lines.
#include <codegen/cuda/fft_lines.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* lines_text = R"(
// Element `at` of `from`, of a line of `length` elements that begins at `line`.
__device__ __forceinline__ cpx load_element(const sources& from, const long long line, const long long at,
                                            const long long length)
{
    if (load_kind != 2) return exchanged(load_complex(from, line + at));
    const bool mirrored = at > length / 2;
    const cpx x = load_complex(from, line + (mirrored ? length - at : at));
    return exchanged(mirrored ? conjugate(x) : x);
}
__device__ __forceinline__ void store_element(const targets& to, const long long line, const long long at,
                                              const long long length, const cpx value, const real scale)
{
    const cpx x = exchanged(value);
    if (store_kind != 2 || at <= length / 2) store_complex(to, line + at, make(x.re * scale, x.im * scale));
}
)";

constexpr const char* parts_text = R"(
template <class T>
__device__ cpx complex_of(const T z) { return make(z.re, z.im); }
)";

const char* pointer_to(fft_elements elements) { return elements == fft_elements::real ? "real*" : "cpx*"; }

}  // namespace

std::string line_types(const fft_source& s, const printed_element* from, const printed_element* to) {
    return fmt::format("struct cpx;\ntypedef {} sources;\ntypedef {} targets;\n",
                       from ? from->type : fmt::format("const {}", pointer_to(s.loads)),
                       to ? to->type : pointer_to(s.stores));
}

std::string line_functions(const fft_source& s, const printed_element* from, const printed_element* to) {
    const bool stores_real = s.stores == fft_elements::real;
    const char* const load = s.loads == fft_elements::real ? "make(from[at], real(0))"
                             : from                        ? "complex_of(from[at])"
                                                           : "from[at]";
    const char* const store = !to && stores_real ? "to[at] = x.re"
                              : !to              ? "to[at] = x"
                              : stores_real      ? "to.store(at, x.re)"
                                                 : "to.store(at, {x.re, x.im})";
    return (from ? std::string(parts_text) : "") +
           fmt::format(
               "\n__device__ __forceinline__ cpx load_complex(const sources& from, const long long at) {{ return {}; }}"
               "\n__device__ __forceinline__ void store_complex(const targets& to, const long long at, const cpx x)"
               "\n{{\n    {};\n}}\n",
               load, store) +
           lines_text;
}

}  // namespace sinter::codegen
