// Wrappers of the PTX instructions of phase barriers (mbarrier) and of copies of boxes (TMA), for which CUDA C++ has no
// short header. A kernel makes its tensor maps itself, so that a launch passes nothing but addresses and extents.
#include <codegen/cuda/library.hpp>

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

void write_map_boxes(writer& w) {
    w.comment(
        "Describes an array of lines of elements of 2 bytes, for copies of boxes of lines of 128 bytes to shared "
        "memory, "
        "swizzled; zeros beyond the ends. `map`: 128 bytes. See PTX ISA, tensormap.replace.");
    w.line("template <int neighbours, int lines, class T>");
    w.line("static __device__ __forceinline__ void map_boxes(void* map, const T* first, const unsigned int width,");
    w.open("                                                 const unsigned int height, const long long stride)");
    w.line("__shared__ __align__(128) unsigned int scratch[32];");
    w.line("const unsigned int at = shared_place(scratch);");
    w.line("scratch[threadIdx.x % 32] = 0;");
    w.line("__syncwarp();");
    w.open("if (threadIdx.x % 32 == 0)");
    write_field(w, "global_address", "b64", "", "first", "l");
    write_field(w, "rank", "b32", "", "1", "n");
    write_field(w, "box_dim", "b32", "0, ", "neighbours", "n");
    write_field(w, "box_dim", "b32", "1, ", "lines", "n");
    write_field(w, "global_dim", "b32", "0, ", "width", "r");
    write_field(w, "global_dim", "b32", "1, ", "height", "r");
    w.comment("Older compilers take the stride in 16 bytes.");
    w.line(
        "constexpr bool in_bytes = __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= "
        "5);");
    w.line("const long long apart = in_bytes ? 2 * stride : stride / 8;");
    write_field(w, "global_stride", "b64", "0, ", "apart", "l");
    write_field(w, "element_stride", "b32", "0, ", "1", "n");
    write_field(w, "element_stride", "b32", "1, ", "1", "n");
    write_field(w, "elemtype", "b32", "", "1", "n");
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

void write_copy_box(writer& w) {
    w.comment(
        "Starts copying a box to shared memory; its bytes arrive at a barrier. See PTX ISA, cp.async.bulk.tensor.");
    w.line("template <class T>");
    w.line(
        "static __device__ __forceinline__ void copy_box(T* to, const void* map, const int neighbour, const int line,");
    w.open("                                                unsigned long long* barrier)");
    w.line("asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes \"");
    w.line("             \"[%0], [%1, {{%2, %3}}], [%4];\" ::\"r\"(shared_place(to)), \"l\"(map), \"r\"(neighbour),");
    w.line("             \"r\"(line), \"r\"(shared_place(barrier))");
    w.line("             : \"memory\");");
    w.close();
    w.blank();
}

}  // namespace

void write_pipeline_functions(writer& w, const std::set<library_function>& used) {
    if (used.count(library_function::phase_barriers) == 0) return;
    write_shared_address(w);
    write_phase_barriers(w);
    if (used.count(library_function::boxes) == 0) return;
    write_map_boxes(w);
    write_copy_box(w);
}

}  // namespace sinter::codegen::cuda_source
