// Writes the device functions that kernels call.
#include <codegen/cuda/library.hpp>

namespace sinter::codegen::cuda_source {
namespace {

void write_quotient(writer& w, bool wide_index) {
    w.comment(
        "i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery, "
        "Division by invariant integers using multiplication, 1994).");
    w.line("static __device__ __forceinline__ {0} quotient(const {0} i, const {0} multiplier, const int shift) {{",
           wide_index ? "uint64" : "unsigned");
    w.line("    return (__umul{}hi(i, multiplier) + i) >> shift;", wide_index ? "64" : "");
    w.line("}}");
    w.blank();
}

void write_read_once(writer& w) {
    w.comment("16 bytes that are read once: the caches may evict them first.");
    w.line("template <class T>");
    w.line("static __device__ __forceinline__ T read_once(const T* from) {{");
    w.line("    return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const uint4*>(from)));");
    w.line("}}");
    w.blank();
}

void write_realign(writer& w) {
    w.comment(
        "The neighbours from number `first` on of two vectors that follow each other: whole words by halving steps, "
        "then the bytes within them.");
    w.line("template <int size, class T>");
    w.open("static __device__ __forceinline__ T realigned(const T* vectors, const int first)");
    w.line("constexpr int words = sizeof(T) / 4, least = size > 4 ? size / 4 : 1;");
    w.line("unsigned int word[2 * words];");
    w.line("memcpy(word, vectors, 2 * sizeof(T));");
    w.line("const int bytes = first * size;");
    w.line("#pragma unroll");
    w.open("for (int step = words / 2; step >= least; step /= 2)");
    w.line("#pragma unroll");
    w.line("for (int i = 0; i < 2 * words - step; ++i) word[i] = (bytes & 4 * step) != 0 ? word[i + step] : word[i];");
    w.close();
    w.open("if (size < 4)");
    w.line("#pragma unroll");
    w.line("for (int i = 0; i < words; ++i) word[i] = __funnelshift_r(word[i], word[i + 1], (bytes & 3) * 8);");
    w.close();
    w.line("T to;");
    w.line("memcpy(&to, word, sizeof(T));");
    w.line("return to;");
    w.close();
    w.blank();
}

void write_widen(writer& w) {
    w.comment(
        "Bytes as floats, by two instructions each: in the last byte of 2^23 a byte adds itself. Those of signed ones "
        "are "
        "flipped so that they are 128 more. The compiler's conversions have a quarter of the rate or less.");
    w.line("template <unsigned int flipped, class Words>");
    w.open("static __device__ __forceinline__ void widen(float_x8& to, const Words& from)");
    w.line("#pragma unroll");
    w.open("for (int e = 0; e < 8; ++e)");
    w.line("unsigned int bits;");
    w.line("asm(\"prmt.b32 %0, %1, %2, %3;\"");
    w.line("    : \"=r\"(bits)");
    w.line("    : \"r\"(from.word[e / 4] ^ flipped * 0x01010101u), \"r\"(0x4b000000u), \"r\"(0x7650 | e % 4));");
    w.line("to.at[e] = __uint_as_float(bits) - (8388608.0f + static_cast<float>(flipped));");
    w.close();
    w.close();
    w.blank();
}

void write_widen_to_halves(writer& w) {
    w.comment(
        "Bytes as float16 numbers, two at once: in the last byte of 1024 a byte adds itself. A product of two float16 "
        "numbers is exact in float32, so that it is rounded once here, too.");
    w.line("template <unsigned int flipped, class Words>");
    w.open("static __device__ __forceinline__ void widen(float16_x8& to, const Words& from)");
    w.line("unsigned int pair[4];");
    w.line("#pragma unroll");
    w.open("for (int i = 0; i < 4; ++i)");
    w.line("asm(\"prmt.b32 %0, %1, %2, %3;\"");
    w.line("    : \"=r\"(pair[i])");
    w.line(
        "    : \"r\"(from.word[i / 2] ^ flipped * 0x01010101u), \"r\"(0x64646464u), \"r\"(i % 2 == 0 ? 0x4140 : "
        "0x4342));");
    w.line("asm(\"sub.rn.f16x2 %0, %0, %1;\" : \"+r\"(pair[i]) : \"r\"(0x64006400u + flipped * 0x10001u));");
    w.close();
    w.line("to = __builtin_bit_cast(float16_x8, uint4{{pair[0], pair[1], pair[2], pair[3]}});");
    w.close();
    w.line("template <unsigned int flipped, class Words>");
    w.open("static __device__ __forceinline__ void widen(float16_x8& to, const Words& from, const float16_x8& factor)");
    w.line("widen<flipped>(to, from);");
    w.line("uint4 x = __builtin_bit_cast(uint4, to);");
    w.line("const uint4 y = __builtin_bit_cast(uint4, factor);");
    for (const char member : {'x', 'y', 'z', 'w'})
        w.line("asm(\"mul.rn.f16x2 %0, %0, %1;\" : \"+r\"(x.{0}) : \"r\"(y.{0}));", member);
    w.line("to = __builtin_bit_cast(float16_x8, x);");
    w.close();
    w.blank();
}

void write_results(writer& w) {
    w.comment(
        "Publishes a result for other blocks, in pieces. Each word contains a piece and the launch's epoch, so a "
        "thread that reads the epoch has read the piece, too.");
    w.line("using result_word = volatile unsigned long long;");
    w.blank();
    w.line("template <class T>");
    w.line("static __device__ __forceinline__ void publish_result(result_word* words, const unsigned int epoch,");
    w.open("                                                      const T result)");
    w.line("constexpr int pieces = (sizeof(T) + 3) / 4;");
    w.line("unsigned int piece[pieces] = {{}};");
    w.line("memcpy(piece, &result, sizeof(T));");
    w.line("#pragma unroll");
    w.line("for (int p = 0; p < pieces; ++p) words[p] = (unsigned long long)(epoch) << 32 | piece[p];");
    w.close();
    w.blank();
    w.comment("Waits until this launch has published `count` results, each `distance` words after the previous one.");
    w.line("template <int count, class T>");
    w.line("static __device__ __forceinline__ void wait_for_results(const result_word* words, const int distance,");
    w.open("                                                        const unsigned int epoch, T* results)");
    w.line("constexpr int pieces = (sizeof(T) + 3) / 4;");
    w.line("unsigned int piece[count][pieces];");
    w.open("for (bool known = false; !known;)");
    w.line("known = true;");
    w.line("#pragma unroll");
    w.open("for (int i = 0; i < count * pieces; ++i)");
    w.line("const unsigned long long word = words[i / pieces * distance + i % pieces];");
    w.line("known = known && (word >> 32) == epoch;");
    w.line("piece[i / pieces][i % pieces] = (unsigned int)(word);");
    w.close();
    w.line("if (!known) __nanosleep(20);");
    w.close();
    w.line("#pragma unroll");
    w.line("for (int i = 0; i < count; ++i) memcpy(results + i, piece[i], sizeof(T));");
    w.close();
    w.blank();
}

void write_blocks_barrier(writer& w) {
    w.comment(
        "Waits until every block of the group has arrived. An arrival adds 1 to the counter, and that of part 0 adds "
        "2^31 less the other arrivals: the last arrival flips the top bit, and the counter is ready for the next "
        "barrier.");
    w.open("static __device__ __forceinline__ void grid_sync(unsigned int* arrived, const int part, const int parts)");
    w.line("__syncthreads();");
    w.open("if (threadIdx.x == 0)");
    w.line("__threadfence();  // the block's writes are visible before its arrival");
    w.line("const unsigned int before = atomicAdd(arrived, part == 0 ? 0x80000001u - unsigned(parts) : 1u);");
    w.line("const volatile unsigned int* now = arrived;");
    w.line("while (((*now ^ before) & 0x80000000u) == 0) __nanosleep(20);");
    w.line("__threadfence();  // the other blocks' writes are visible after it");
    w.close();
    w.line("__syncthreads();");
    w.close();
    w.blank();
}

void write_cluster(writer& w) {
    w.comment("Waits until every thread of the cluster has arrived. What they have written before is then visible.");
    w.open("static __device__ __forceinline__ void cluster_sync()");
    w.line("__cluster_barrier_arrive();");
    w.line("__cluster_barrier_wait();");
    w.close();
    w.blank();
    w.comment("The value of a variable in shared memory in another block of the cluster.");
    w.line("template <class T>");
    w.open("static __device__ __forceinline__ T from_block(const T& own, const unsigned int block)");
    w.line("return *static_cast<const T*>(__cluster_map_shared_rank(&own, block));");
    w.close();
    w.blank();
}

}  // namespace

void write_address_functions(writer& w, const std::set<library_function>& used, bool wide_index) {
    if (used.count(library_function::quotient) != 0) write_quotient(w, wide_index);
    if (used.count(library_function::read_once) != 0) write_read_once(w);
    if (used.count(library_function::realign) != 0) write_realign(w);
    if (used.count(library_function::widen) != 0) write_widen(w);
    if (used.count(library_function::widen_to_halves) != 0) write_widen_to_halves(w);
}

void write_block_functions(writer& w, const std::set<library_function>& used) {
    if (used.count(library_function::results) != 0) write_results(w);
    if (used.count(library_function::blocks_barrier) != 0) write_blocks_barrier(w);
    if (used.count(library_function::cluster) != 0) write_cluster(w);
}

}  // namespace sinter::codegen::cuda_source
