// The text of the kernels of stream compaction, by count, scan and scatter (G. Blelloch, "Prefix sums and their
// applications", CMU-CS-90-190, 1990). A block gathers in shared memory which of its elements are chosen, so that what
// it stores is contiguous.
#include <codegen/cuda/compact.hpp>

#include <codegen/cuda/block_scan.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* word_text = R"(
typedef unsigned mask_element;

// Which of the 32 elements from `first` on are true, as bits.
__device__ unsigned trues_of(const unsigned* mask, const long long count, const long long first)
{
    return first < count ? mask[first / 32] : 0u;
}
)";

constexpr const char* trues_text = R"(
typedef unsigned char mask_element;
struct alignas(16) pack { unsigned word[4]; };

// Which of the 32 elements from `first` on are true, as bits. A bool is a byte that is 0 or 1; the product moves the
// lowest bits of four bytes to the highest four bits.
__device__ unsigned trues_of(const unsigned char* mask, const long long count, const long long first)
{
    unsigned bits = 0;
    if (first + 32 <= count && (reinterpret_cast<unsigned long long>(mask) & 15u) == 0) {
        const pack* const from = reinterpret_cast<const pack*>(mask + first);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const pack held = from[p];
#pragma unroll
            for (int w = 0; w < 4; ++w) bits |= (held.word[w] & 0x01010101u) * 0x10204080u >> 28 << (16 * p + 4 * w);
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < 32; ++i)
            if (first + i < count && mask[first + i] != 0) bits |= 1u << i;
    }
    return bits;
}
)";

constexpr const char* count_text = R"(
extern "C" __global__ void __launch_bounds__(256) count_trues(
    unsigned* __restrict__ counts, const mask_element* __restrict__ mask, const long long count)
{
    __shared__ unsigned of_warps[8];
    const unsigned own = __popc(trues_of(mask, count, blockIdx.x * 8192ll + threadIdx.x * 32));
    const unsigned before = sum_before(of_warps, own);
    if (threadIdx.x == 255) counts[blockIdx.x] = before + own;
}
)";

constexpr const char* scan_text = R"(
// offsets[tile] is what the tiles before have; the last offset is what all have.
extern "C" __global__ void __launch_bounds__(1024) scan_trues(
    long long* __restrict__ offsets, const unsigned* __restrict__ counts, const long long tiles)
{
    // a thread has neighbouring tiles, whose counts it reads before it waits for the other threads, once
    __shared__ unsigned of_warps[2][32];
    const long long share = (tiles + 1023) / 1024, first = threadIdx.x * share;
    const long long end = first + share < tiles ? first + share : tiles;
    long long own = 0;
#pragma unroll 8
    for (long long tile = first; tile < end; ++tile) own += counts[tile];
    // sums that exceed 32 bits are those of both halves
    long long before = sum_before(of_warps[0], unsigned(own & 0xffff));
    before += (long long)sum_before(of_warps[1], unsigned(own >> 16)) << 16;
#pragma unroll 8
    for (long long tile = first; tile < end; ++tile) {
        offsets[tile] = before;
        before += counts[tile];
    }
    if (threadIdx.x == 1023) offsets[tiles] = before;
}
)";

constexpr const char* store_chosen_text = R"(
extern "C" __global__ void __launch_bounds__(256, 4) {0}(
    result* __restrict__ results, const mask_element* __restrict__ mask, const long long* __restrict__ offsets,{1}
    const long long count)
{{
    __shared__ unsigned short chosen[8192];
    __shared__ unsigned of_warps[8];
    // the last tiles first: what made the mask has read them last, and the cache still has them
    const unsigned tile = gridDim.x - 1 - blockIdx.x;
    const long long first_of_tile = tile * 8192ll;
    const int first = threadIdx.x * 32;
    unsigned left = trues_of(mask, count, first_of_tile + first), rank = sum_before(of_warps, __popc(left));
    while (left != 0) {{
        chosen[rank++] = (unsigned short)(first + __ffs(int(left)) - 1);
        left &= left - 1;
    }}
    __syncthreads();
    const long long to = offsets[tile];
    const int in_tile = int(offsets[tile + 1] - to);
    for (int i = threadIdx.x; i < in_tile; i += 256) results[to + i] = {2};
}}
)";

std::string result_text(compact_kernel which, std::size_t bytes) {
    if (which == compact_kernel::positions) return "typedef long long result;\n";
    if (bytes == 16) return "struct result { unsigned long long part[2]; };\n";
    const char* const word = bytes == 1   ? "unsigned char"
                             : bytes == 2 ? "unsigned short"
                             : bytes == 4 ? "unsigned"
                                          : "unsigned long long";
    return fmt::format("typedef {} result;\n", word);
}

}  // namespace

const char* compact_name(compact_kernel which) {
    switch (which) {
        case compact_kernel::count: return "count_trues";
        case compact_kernel::scan: return "scan_trues";
        case compact_kernel::positions: return "store_positions_of_trues";
        case compact_kernel::elements: break;
    }
    return "store_chosen_elements";
}

std::string compact_text(compact_kernel which, std::size_t element_bytes, bool in_words) {
    const std::string scan = block_scan_text;
    const std::string trues = in_words ? word_text : trues_text;
    if (which == compact_kernel::count) return scan + trues + count_text;
    if (which == compact_kernel::scan) return scan + scan_text;
    const bool positions = which == compact_kernel::positions;
    return result_text(which, element_bytes) + scan + trues +
           fmt::format(store_chosen_text, compact_name(which),
                       positions ? "" : "\n    const result* __restrict__ values,",
                       positions ? "first_of_tile + chosen[i]" : "values[first_of_tile + chosen[i]]");
}

}  // namespace sinter::codegen
