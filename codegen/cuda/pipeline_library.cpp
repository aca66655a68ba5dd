// Wrappers of the PTX instructions of phase barriers (mbarrier) and of copies of boxes (TMA), for which CUDA C++ has no
// short header. A kernel makes its tensor maps itself, so that a launch passes nothing but addresses and extents.
#include <codegen/cuda/library.hpp>

#include <fmt/format.h>

#include <string>

namespace sinter::codegen::cuda_source {
namespace {

void write_shared_address(writer& w) {
    w.line("static __device__ __forceinline__ unsigned int shared_place(const void* p) {{");
    w.line("    return static_cast<unsigned int>(__cvta_generic_to_shared(p));");
    w.line("}}");
    w.blank();
}

void write_phase_barriers(writer& w) {
    w.comment("Barriers whose phases take `arrivals` arrivals each. See PTX ISA, mbarrier.");
    w.line("template <int count>");
    w.open("static __device__ __forceinline__ void init_barriers(unsigned long long* first, const int arrivals)");
    w.line("if (threadIdx.x != 0) return;");
    w.line("#pragma unroll");
    w.line("for (int i = 0; i < count; ++i)");
    w.line(
        "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" ::\"r\"(shared_place(first + i)), "
        "\"r\"(arrivals)");
    w.line("                 : \"memory\");");
    w.line("asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");  // copies see them, too");
    w.close();
    w.open("static __device__ __forceinline__ void arrive(unsigned long long* at)");
    w.line("asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(shared_place(at)) : \"memory\");");
    w.close();
    w.open("static __device__ __forceinline__ void arrive_expecting(unsigned long long* at, const int bytes)");
    w.line("asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\"r\"(shared_place(at)),");
    w.line("             \"r\"(bytes)");
    w.line("             : \"memory\");");
    w.close();
    w.open("static __device__ __forceinline__ void wait_phase(unsigned long long* at, const int parity)");
    w.line("const unsigned int place = shared_place(at);");
    w.line("for (int has_ended = 0; has_ended == 0;)");
    w.line("    asm volatile(\"{{.reg .pred ended; mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2; \"");
    w.line("                 \"selp.s32 %0, 1, 0, ended;}}\"");
    w.line("                 : \"=r\"(has_ended)");
    w.line("                 : \"r\"(place), \"r\"(parity)");
    w.line("                 : \"memory\");");
    w.close();
    w.blank();
}

/// One field of a map in shared memory.
void write_field(writer& w, const char* field, const char* bits, const char* index, const char* value,
                 const char* constraint) {
    w.line("asm volatile(\"tensormap.replace.tile.{}.shared::cta.b1024.{} [%0], {}%1;\" ::\"r\"(at), \"{}\"({})", field,
           bits, index, constraint, value);
    w.line("             : \"memory\");");
}

/// Extents, strides and steps of axis `axis`; the strides begin at the second one.
void write_axis(writer& w, int axis) {
    const std::string index = fmt::format("{}, ", axis), before = fmt::format("{}, ", axis - 1);
    const std::string extent = fmt::format("static_cast<unsigned int>(extents[{}])", axis);
    const std::string stride = fmt::format("strides[{}] * bytes / (in_bytes ? 1 : 16)", axis - 1);
    write_field(w, "global_dim", "b32", index.c_str(), extent.c_str(), "r");
    if (axis > 0) write_field(w, "global_stride", "b64", before.c_str(), stride.c_str(), "l");
    write_field(w, "element_stride", "b32", index.c_str(), "1", "n");
}

void write_map_boxes(writer& w, int most_axes) {
    w.comment(
        "Describes an array of lines of elements of 1 or 2 bytes, for copies of boxes of lines of 128 bytes to shared "
        "memory, swizzled; zeros beyond the ends. `map`: 128 bytes. See PTX ISA, tensormap.replace.");
    w.line("template <int neighbours, int lines, int axes, class T>");
    w.line(
        "static __device__ __forceinline__ void map_boxes(void* map, const T* first, const long long "
        "(&extents)[axes],");
    w.open("                                                 const long long (&strides)[axes - 1])");
    w.line("__shared__ __align__(128) unsigned int scratch[32];");
    w.line("const unsigned int at = shared_place(scratch);");
    w.line("scratch[threadIdx.x % 32] = 0;");
    w.line("__syncwarp();");
    w.open("if (threadIdx.x % 32 == 0)");
    w.line("constexpr int bytes = sizeof(T);");
    w.comment("Older compilers take strides in 16 bytes.");
    w.line(
        "constexpr bool in_bytes = __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= "
        "5);");
    write_field(w, "global_address", "b64", "", "first", "l");
    write_field(w, "rank", "b32", "", "axes - 1", "n");
    write_field(w, "box_dim", "b32", "0, ", "neighbours", "n");
    write_field(w, "box_dim", "b32", "1, ", "lines", "n");
    for (int axis = 0; axis < most_axes; ++axis) {
        if (axis > 1) w.open("if constexpr (axes > {})", axis);
        if (axis > 1) write_field(w, "box_dim", "b32", fmt::format("{}, ", axis).c_str(), "1", "n");
        write_axis(w, axis);
        if (axis > 1) w.close();
    }
    write_field(w, "elemtype", "b32", "", "bytes == 1 ? 0 : 1", "n");
    write_field(w, "interleave_layout", "b32", "", "0", "n");
    write_field(w, "swizzle_mode", "b32", "", "3", "n");
    write_field(w, "fill_mode", "b32", "", "0", "n");
    w.close();
    w.line("__syncwarp();");
    w.line("asm volatile(\"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned \"");
    w.line("             \"[%0], [%1], 128;\" ::\"l\"(map), \"r\"(at)");
    w.line("             : \"memory\");");
    w.line("asm volatile(\"fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\" ::\"l\"(map) : \"memory\");");
    w.line("__syncwarp();");
    w.close();
    w.blank();
}

void write_copy_box(writer& w, int axes) {
    w.comment(
        "Starts copying a box to shared memory; its bytes arrive at a barrier. See PTX ISA, cp.async.bulk.tensor.");
    std::string parameters, operands, values;
    for (int axis = 0; axis < axes; ++axis) {
        parameters += fmt::format("const int i{}, ", axis);
        operands += fmt::format("{}%{}", axis > 0 ? ", " : "", axis + 2);
        values += fmt::format(", \"r\"(i{})", axis);
    }
    w.line("template <class T>");
    w.line("static __device__ __forceinline__ void copy_box(T* to, const void* map, {}",
           parameters.substr(0, parameters.size() - 1));
    w.open("                                                unsigned long long* barrier)");
    w.line("asm volatile(\"cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes \"", axes);
    w.line("             \"[%0], [%1, {{{}}}], [%{}];\"", operands, axes + 2);
    w.line("             ::\"r\"(shared_place(to)), \"l\"(map){}, \"r\"(shared_place(barrier))", values);
    w.line("             : \"memory\");");
    w.close();
    w.blank();
}

}  // namespace

void write_pipeline_functions(writer& w, const std::set<library_function>& used, const std::set<int>& box_axes) {
    if (used.count(library_function::phase_barriers) == 0) return;
    write_shared_address(w);
    write_phase_barriers(w);
    if (used.count(library_function::boxes) == 0) return;
    write_map_boxes(w, *box_axes.rbegin());
    for (const int axes : box_axes) write_copy_box(w, axes);
}

}  // namespace sinter::codegen::cuda_source
