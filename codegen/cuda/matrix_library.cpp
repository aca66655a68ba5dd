// Wrappers of the PTX instructions mma, ldmatrix and cp.async, for which CUDA C++ has no short header.
#include <codegen/cuda/library.hpp>

namespace sinter::codegen::cuda_source {
namespace {

void write_multiply(writer& w, const char* type, const char* ptx_type) {
    w.comment(
        "sum += a * transpose(b) of fragments of 16 x 16 elements, by the whole warp: two instructions, each for 8 "
        "columns of the sum, whose operand is half of the registers of b. See PTX ISA, mma.m16n8k16.");
    w.line(
        "static __device__ __forceinline__ void multiply_accumulate(float_x8& sum, const {0}_x8& a, const {0}_x8& b) "
        "{{",
        type);
    w.indent();
    w.line("const uint4 x = __builtin_bit_cast(uint4, a), y = __builtin_bit_cast(uint4, b);");
    for (int half = 0; half < 2; ++half) {
        w.line("asm(\"mma.sync.aligned.m16n8k16.row.col.f32.{0}.{0}.f32 \"", ptx_type);
        w.line("    \"{{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};\"");
        w.line("    : \"+f\"(sum.at[{}]), \"+f\"(sum.at[{}]), \"+f\"(sum.at[{}]), \"+f\"(sum.at[{}])", 4 * half,
               4 * half + 1, 4 * half + 2, 4 * half + 3);
        w.line("    : \"r\"(x.x), \"r\"(x.y), \"r\"(x.z), \"r\"(x.w), \"r\"(y.{}), \"r\"(y.{}));",
               half == 0 ? "x" : "z", half == 0 ? "y" : "w");
    }
    w.close();
    w.blank();
}

void write_load_matrix(writer& w, bool transposed) {
    w.comment(
        "Loads a fragment from shared memory; each lane passes the address of a row of 8 elements. See PTX ISA, "
        "ldmatrix.");
    w.line("template <class T, class Fragment>");
    w.open("static __device__ __forceinline__ void load_matrix{}(Fragment& to, const T* row)",
           transposed ? "_transposed" : "");
    w.line("const unsigned int from = static_cast<unsigned int>(__cvta_generic_to_shared(row));");
    w.line("uint4 x;");
    w.line("asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.{}shared.b16 {{%0, %1, %2, %3}}, [%4];\"",
           transposed ? "trans." : "");
    w.line("             : \"=r\"(x.x), \"=r\"(x.y), \"=r\"(x.z), \"=r\"(x.w)");
    w.line("             : \"r\"(from)");
    w.line("             : \"memory\");");
    w.line("to = __builtin_bit_cast(Fragment, x);");
    w.close();
    w.blank();
}

void write_async_copy(writer& w) {
    w.comment(
        "Starts copying 4, 8 or 16 bytes to shared memory without using registers, or zeros if `is_there` is false. "
        "See PTX ISA, cp.async.");
    w.line("template <int size, class T>");
    w.line("static __device__ __forceinline__ void async_copy(T* to, const T* from, const bool is_there) {{");
    w.indent();
    w.line("const unsigned int at = static_cast<unsigned int>(__cvta_generic_to_shared(to));");
    w.line("const int bytes = is_there ? size : 0;");
    w.line("if constexpr (size == 16)");
    w.line("    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16, %2;\" ::\"r\"(at), \"l\"(from), \"r\"(bytes)");
    w.line("                 : \"memory\");");
    w.line("else");
    w.line("    asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2, %3;\" ::\"r\"(at), \"l\"(from), \"n\"(size),");
    w.line("                 \"r\"(bytes)");
    w.line("                 : \"memory\");");
    w.close();
    w.blank();
}

}  // namespace

void write_matrix_functions(writer& w, const std::set<library_function>& used) {
    if (used.count(library_function::multiply_float16) != 0) write_multiply(w, "float16", "f16");
    if (used.count(library_function::multiply_bfloat16) != 0) write_multiply(w, "bfloat16", "bf16");
    if (used.count(library_function::load_matrix) != 0) write_load_matrix(w, false);
    if (used.count(library_function::load_matrix_transposed) != 0) write_load_matrix(w, true);
    if (used.count(library_function::async_copy) != 0) write_async_copy(w);
}

}  // namespace sinter::codegen::cuda_source
