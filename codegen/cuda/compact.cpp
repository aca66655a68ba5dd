// The text of the kernel of stream compaction: a scan of the mask by decoupled look-back (D. Merrill and M. Garland,
// "Single-pass parallel prefix scan with decoupled look-back", NVR-2016-002), so that mask and values are read once. A
// block gathers in shared memory what is chosen of its tile, so that what it stores is contiguous.
#include <codegen/cuda/compact.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/block_scan.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* array_text = R"(
struct alignas(16) pack { unsigned word[4]; };

// Which of the lane's 32 elements from `first` on are true, as bits. A bool is a byte that is 0 or 1; the product moves
// the lowest bits of four bytes to the highest four bits.
__device__ unsigned trues_of(const bool* mask, const long long count, const long long first_of_warp)
{
    const long long first = first_of_warp + 32 * int(threadIdx.x & 31);
    unsigned bits = 0;
    if (first + 32 <= count && (reinterpret_cast<unsigned long long>(mask) & 15u) == 0) {
        const pack* const from = reinterpret_cast<const pack*>(mask + first);
        const pack held[2] = {from[0], from[1]};
#pragma unroll
        for (int p = 0; p < 2; ++p)
#pragma unroll
            for (int w = 0; w < 4; ++w) bits |= (held[p].word[w] & 0x01010101u) * 0x10204080u >> 28 << (16 * p + 4 * w);
    } else {
#pragma unroll 1
        for (int i = 0; i < 32; ++i)
            if (first + i < count && mask[first + i]) bits |= 1u << i;
    }
    return bits;
}
)";

constexpr const char* function_text = R"(
// Which of the lane's 32 elements are true, as bits. The lanes compute neighbouring elements, which are one lane's.
template <class Mask>
__device__ unsigned trues_of(const Mask& mask, const long long count, const long long first_of_warp)
{
    constexpr int batch = 16;  // loads in flight
    const int lane = threadIdx.x & 31;
    unsigned bits = 0;
#pragma unroll 1
    for (int step = 0; step < 32; step += batch) {
        const long long first = first_of_warp + (32 * step + lane);
        bool is_true[batch];
        if (first_of_warp + 1024 <= count) {
#pragma unroll
            for (int i = 0; i < batch; ++i) is_true[i] = mask[first + 32 * i];
        } else {
#pragma unroll
            for (int i = 0; i < batch; ++i) is_true[i] = first + 32 * i < count && mask[first + 32 * i];
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            const unsigned votes = __ballot_sync(all_lanes, is_true[i]);
            if (lane == step + i) bits = votes;
        }
    }
    return bits;
}
)";

constexpr const char* look_back_text = R"(
// What a tile says: nothing yet (0), how many trues it has (1), or how many it and all before it have (2).
constexpr int state_shift = 62;

__device__ void publish(volatile unsigned long long* state, const unsigned long long kind, const long long trues)
{
    *state = kind << state_shift | (unsigned long long)trues;
}

// The trues in all tiles before this one. A block reads what as many tiles say as it has threads, at once.
__device__ long long trues_before(const volatile unsigned long long* states, const long long tile, long long* of_warps)
{
    const int t = threadIdx.x, lane = t & 31;
    long long before = 0;
    for (long long last = tile - 1;; last -= 256) {
        unsigned long long said = 2ull << state_shift;  // before the first tile there are none
        if (last >= t)
            while ((said = states[last - t]) >> state_shift == 0) __nanosleep(20);
        const unsigned inclusive = __ballot_sync(all_lanes, said >> state_shift == 2);
        const int last_lane = inclusive != 0 ? __ffs(int(inclusive)) - 1 : 31;
        long long trues = lane <= last_lane ? (long long)(said & ~(3ull << state_shift)) : 0;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) trues += __shfl_xor_sync(all_lanes, trues, step);
        __syncthreads();
        if (lane == 0) of_warps[t / 32] = inclusive != 0 ? ~trues : trues;
        __syncthreads();
        for (int w = 0; w < 8; ++w) {
            const long long more = of_warps[w];
            if (more < 0) return before + ~more;
            before += more;
        }
    }
}
)";

constexpr const char* gather_text = R"(
// Lists what is chosen of the warp's 1024 elements from `first` of the tile on. A lane's bits are 32 neighbouring
// elements, which a step lists together, so that lanes store side by side; `rank` is where the warp's begin.
template <class Values>
__device__ void gather(const unsigned bits, unsigned rank, const int first, const Values& values, const long long begin,
                       listed* chosen)
{
    constexpr int batch = 8;  // loads in flight
    const int lane = threadIdx.x & 31;
    const unsigned before_lane = (1u << lane) - 1;
#pragma unroll 1
    for (int step = 0; step < 32; step += batch) {
        listed x[batch];
        unsigned votes[batch];
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            votes[i] = __shfl_sync(all_lanes, bits, step + i);
            const int element = first + 32 * (step + i) + lane;
            if (votes[i] >> lane & 1) x[i] = list(values, begin, element);
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (votes[i] >> lane & 1) chosen[rank + __popc(votes[i] & before_lane)] = x[i];
            rank += __popc(votes[i]);
        }
    }
}
)";

constexpr const char* store_text = R"(
extern "C" __global__ void __launch_bounds__(256, 4) {0}(
    result* __restrict__ results, long long* __restrict__ total, const bool* __restrict__ mask,
    {1}unsigned long long* states, unsigned* __restrict__ ticket,
    const long long count, const long long tiles)
{{
    __shared__ listed chosen[tile_elements];
    __shared__ unsigned of_warps[8], taken;
    __shared__ long long of_warps_before[8];
    const int t = threadIdx.x, first = (t & ~31) * 32;
    // blocks take the tiles in the order in which they begin, so that the tiles before have begun
    if (t == 0) taken = atomicAdd(ticket, 1u);
    __syncthreads();
    const long long tile = taken, begin = tile * tile_elements;
    const unsigned bits = trues_of(mask, count, begin + first), rank = sum_before(of_warps, __popc(bits));
    unsigned trues = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) trues += of_warps[w];
    if (t == 0) publish(states + tile, tile == 0 ? 2 : 1, trues);
    gather(bits, __shfl_sync(all_lanes, rank, 0), first, {2}, begin, chosen);
    const long long before = trues_before(states, tile, of_warps_before);
    if (t == 0 && tile > 0) publish(states + tile, 2, before + trues);
    if (t == 0 && tile == tiles - 1) *total = before + trues;
    // a warp's stores begin where one of 32 elements does
    result* const to = results + before;
#pragma unroll 4
    for (int e = t - int(before & 31); e < int(trues); e += 256)
        if (e >= 0) to[e] = {3};
}}
)";

std::string result_text(const compact_source& s) {
    if (s.element_bytes == 0) return "typedef long long result;\n";
    if (s.element_bytes == 16) return "struct alignas(16) result { unsigned long long part[2]; };\n";
    const char* const word = s.element_bytes == 1   ? "unsigned char"
                             : s.element_bytes == 2 ? "unsigned short"
                             : s.element_bytes == 4 ? "unsigned"
                                                    : "unsigned long long";
    return fmt::format("typedef {} result;\n", word);
}

constexpr const char* bytes_text = R"(
template <class T>
__device__ result stored_bytes(const T x)
{
    static_assert(sizeof(T) == sizeof(result), "an element is stored as it is computed");
    result y;
    memcpy(&y, &x, sizeof y);
    return y;
}
)";

constexpr const char* values_listed_text = R"(
typedef result listed;
template <class Values>
__device__ listed list(const Values& values, const long long begin, const int element)
{
    return stored_bytes(values[begin + element]);
}
)";

constexpr const char* positions_listed_text = R"(
typedef unsigned short listed;  // a position in the tile
template <class Values>
__device__ listed list(const Values&, long long, const int element) { return listed(element); }
)";

}  // namespace

const char* compact_name(const compact_source& s) {
    return s.element_bytes == 0 ? "store_positions_of_trues" : "store_chosen_elements";
}

std::string compact_text(const compact_source& s, const printed_element* mask, const printed_element* values) {
    const bool positions = s.element_bytes == 0;
    std::string text = fmt::format("constexpr int tile_elements = {};\n", compact_tile) + result_text(s) +
                       block_scan_text + (mask ? function_text : array_text) + look_back_text;
    if (!positions) text += bytes_text;
    // shared memory has room for values of up to 4 bytes; of others it has their positions
    const bool lists_values = !positions && s.element_bytes <= 4;
    text += lists_values ? values_listed_text : positions_listed_text;
    text += gather_text;
    text += fmt::format(store_text, compact_name(s), positions ? "" : "const result* __restrict__ values,\n    ",
                        positions ? "0" : "values",
                        positions      ? "begin + chosen[e]"
                        : lists_values ? "chosen[e]"
                                       : "stored_bytes(values[begin + chosen[e]])");
    if (mask) text = with_function(std::move(text), "const bool* __restrict__ mask,\n    ", *mask);
    if (values) text = with_function(std::move(text), "const result* __restrict__ values,\n    ", *values);
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
