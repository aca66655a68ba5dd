// Wrappers of the PTX instructions of warpgroups, for which CUDA C++ has no header.
#include <codegen/cuda/library.hpp>

#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace sinter::codegen::cuda_source {
namespace {

void write_descriptor(writer& w) {
    w.comment(
        "Describes a factor in shared memory: its first element, lines of 128 bytes, swizzled, 8 of them after the "
        "other 8; `beside`: bytes to the next 64 columns of lines that go along the steps. See PTX ISA, Matrix "
        "Descriptor Format of wgmma.");
    w.line("template <class T>");
    w.line(
        "static __device__ __forceinline__ unsigned long long matrix_descriptor(const T* first, const unsigned int "
        "beside) {{");
    w.indent();
    w.line("const unsigned int at = static_cast<unsigned int>(__cvta_generic_to_shared(first));");
    w.line(
        "return (at & 0x3ffffu) >> 4 | static_cast<unsigned long long>(beside >> 4) << 16 | 1024ull >> 4 << 32 | "
        "1ull << 62;");
    w.close();
    w.blank();
}

void write_keep_in_order(writer& w) {
    w.comment(
        "Keeps the compiler from moving what computes these registers, or uses them, past the asynchronous products "
        "around it.");
    w.line("template <int Fragments>");
    w.line("static __device__ __forceinline__ void keep_in_order(float_x8* sums) {{");
    w.indent();
    w.line("#pragma unroll");
    w.open("for (int i = 0; i < Fragments; ++i)");
    w.line("#pragma unroll");
    w.line("for (int e = 0; e < 8; ++e) asm volatile(\"\" : \"+f\"(sums[i].at[e])::\"memory\");");
    w.close();
    w.close();
    w.line("template <int Fragments, class T>");
    w.line("static __device__ __forceinline__ void keep_in_order(T* factors) {{");
    w.indent();
    w.line("#pragma unroll");
    w.open("for (int i = 0; i < Fragments; ++i)");
    w.line("uint4 x = __builtin_bit_cast(uint4, factors[i]);");
    w.line("asm volatile(\"\" : \"+r\"(x.x), \"+r\"(x.y), \"+r\"(x.z), \"+r\"(x.w)::\"memory\");");
    w.line("factors[i] = __builtin_bit_cast(T, x);");
    w.close();
    w.close();
    w.blank();
}

/// Operands %first to %last, separated by commas.
std::string operands(int first, int count) {
    std::vector<std::string> all;
    for (int i = first; i < first + count; ++i) all.push_back(fmt::format("%{}", i));
    return fmt::format("{}", fmt::join(all, ", "));
}

const char* ptx_name(dtype type) {
    switch (type) {
        case dtype::float16: return "f16";
        case dtype::float8_e4m3: return "e4m3";
        case dtype::float8_e5m2: return "e5m2";
        default: return "bf16";
    }
}

/// Operands `sums` of the instruction, as its first ones, and their constraints.
void write_sums(writer& w, const warpgroup_product& of) {
    for (int f = 0; f < of.fragments; ++f)
        w.line("    \"{}{}\"", operands(8 * f, 8), f + 1 < of.fragments ? ", " : "}, ");
}

void write_sum_constraints(writer& w, const warpgroup_product& of) {
    for (int f = 0; f < of.fragments; ++f) {
        for (int half = 0; half < 2; ++half) {
            std::vector<std::string> four;
            for (int e = 4 * half; e < 4 * half + 4; ++e) four.push_back(fmt::format("\"+f\"(sums[{}].at[{}])", f, e));
            w.line("    {} {}{}", f + half == 0 ? ":" : " ", fmt::join(four, ", "),
                   f + 1 == of.fragments && half == 1 ? "" : ",");
        }
    }
}

void write_comment(writer& w, const warpgroup_product& of) {
    w.comment(
        fmt::format("{} sums of a lane, of 64 x {} of a warpgroup, += {} steps of products, or = where `adds` is "
                    "false. See PTX ISA, wgmma.mma_async.",
                    of.fragments * device_ir::fragment_elements, of.fragments * device_ir::fragment_rows,
                    device_ir::steps_of_product(of.type)));
}

/// Both factors lie along the steps.
void write_float8_product(writer& w, const warpgroup_product& of) {
    const int columns = of.fragments * device_ir::fragment_rows, sums = of.fragments * device_ir::fragment_elements;
    write_comment(w, of);
    w.line("static __device__ __forceinline__ void multiply_shared_64x{}(", columns);
    w.line("    float_x8* sums, const unsigned long long left, const unsigned long long right, const bool adds) {{");
    w.indent();
    w.line("asm volatile(\"{{.reg .pred adds; setp.ne.b32 adds, %{}, 0; \"", sums + 2);
    w.line("    \"wgmma.mma_async.sync.aligned.m64n{}k32.f32.{}.{} {{\"", columns, ptx_name(of.left_type),
           ptx_name(of.type));
    write_sums(w, of);
    w.line("    \"%{}, %{}, adds, 1, 1;}}\"", sums, sums + 1);
    write_sum_constraints(w, of);
    w.line("    : \"l\"(left), \"l\"(right), \"r\"(static_cast<int>(adds))");
    w.line("    : \"memory\");");
    w.close();
    w.blank();
}

void write_product(writer& w, const warpgroup_product& of) {
    const char* const type = of.type == dtype::float16 ? "float16" : "bfloat16";
    const int columns = of.fragments * device_ir::fragment_rows, sums = of.fragments * device_ir::fragment_elements;
    const int left = of.left_in_shared ? 1 : 4;
    write_comment(w, of);
    w.line("template <{}int TransposedRight>", of.left_in_shared ? "int TransposedLeft, " : "");
    w.line("static __device__ __forceinline__ void multiply_{}64x{}(", of.left_in_shared ? "shared_" : "", columns);
    w.line("    float_x8* sums, const {} left, const unsigned long long right, const bool adds) {{",
           of.left_in_shared ? std::string("unsigned long long") : fmt::format("{}_x8&", type));
    w.indent();
    if (!of.left_in_shared) w.line("const uint4 x = __builtin_bit_cast(uint4, left);");
    w.line("asm volatile(\"{{.reg .pred adds; setp.ne.b32 adds, %{}, 0; \"", sums + left + 1);
    w.line("    \"wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {{\"", columns, ptx_name(of.type));
    write_sums(w, of);
    w.line("    \"{}, %{}, adds, 1, 1, {};}}\"",
           of.left_in_shared ? operands(sums, 1) : fmt::format("{{{}}}", operands(sums, 4)), sums + left,
           of.left_in_shared ? operands(sums + left + 2, 2) : operands(sums + left + 2, 1));
    write_sum_constraints(w, of);
    w.line("    : {}, \"l\"(right), \"r\"(static_cast<int>(adds)), {}\"n\"(TransposedRight)",
           of.left_in_shared ? "\"l\"(left)" : "\"r\"(x.x), \"r\"(x.y), \"r\"(x.z), \"r\"(x.w)",
           of.left_in_shared ? "\"n\"(TransposedLeft), " : "");
    w.line("    : \"memory\");");
    w.close();
    w.blank();
}

}  // namespace

void write_warpgroup_functions(writer& w, const std::set<library_function>& used,
                               const std::set<warpgroup_product>& products) {
    if (used.count(library_function::matrix_descriptor) != 0) write_descriptor(w);
    if (used.count(library_function::begin_products) != 0 || used.count(library_function::wait_products) != 0)
        write_keep_in_order(w);
    for (const warpgroup_product& one : products) {
        if (is_float8(one.type))
            write_float8_product(w, one);
        else
            write_product(w, one);
    }
}

}  // namespace sinter::codegen::cuda_source
