// The text of the kernel of stream compaction: a scan of the mask by decoupled look-back (D. Merrill and M. Garland,
// "Single-pass parallel prefix scan with decoupled look-back", NVR-2016-002), so that mask and values are read once. A
// block lists in shared memory which of its elements are chosen, so that what it stores is contiguous, and begins its
// next tile before it looks back: until then, the tiles before have said how many trues they have.
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

// The trues in all tiles before this one. A block reads what 1024 tiles say at once, about as many as run: where it had
// to read again, it would wait for memory again, and all tiles behind it with it.
__device__ long long trues_before(const volatile unsigned long long* states, const long long tile, long long* of_warps)
{
    constexpr int own = 4;
    const int t = threadIdx.x, lane = t & 31;
    long long before = 0;
    for (long long last = tile - 1;; last -= 256 * own) {
        const long long nearest = last - own * t;
        unsigned long long said[own];
#pragma unroll
        for (int k = 0; k < own; ++k)
            said[k] = nearest >= k ? states[nearest - k] : 2ull << state_shift;  // before the first tile there are none
        long long trues = 0;
        bool found = false;
#pragma unroll
        for (int k = 0; k < own; ++k) {
            while (said[k] >> state_shift == 0) {
                __nanosleep(20);
                said[k] = states[nearest - k];
            }
            if (!found) trues += (long long)(said[k] & ~(3ull << state_shift));
            found |= said[k] >> state_shift == 2;
        }
        const unsigned inclusive = __ballot_sync(all_lanes, found);
        const int last_lane = inclusive != 0 ? __ffs(int(inclusive)) - 1 : 31;
        if (lane > last_lane) trues = 0;
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

constexpr const char* store_text = R"(
// A tile of which a block knows the trues.
struct begun_tile {{
    long long tile;
    unsigned bits, before, trues;  // of the thread's 32 elements; the trues before these in the tile; all of the tile
}};

template <class Mask>
__device__ begun_tile begin_tile(const Mask& mask, const long long count, const long long tile, unsigned* of_warps,
                                 unsigned long long* states)
{{
    begun_tile made;
    made.tile = tile;
    made.bits = trues_of(mask, count, tile * tile_elements + (threadIdx.x & ~31u) * 32);
    made.before = sum_before(of_warps, __popc(made.bits));
    made.trues = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) made.trues += of_warps[w];
    if (threadIdx.x == 0) publish(states + tile, tile == 0 ? 2 : 1, made.trues);
    return made;
}}

// Lists the trues of a tile. A step is 32 neighbouring elements, so that lanes store side by side.
__device__ void list_trues(const begun_tile& tile, unsigned short* chosen)
{{
    const int t = threadIdx.x, lane = t & 31;
    const unsigned before_lane = (1u << lane) - 1;
    unsigned rank = __shfl_sync(all_lanes, tile.before, 0);
#pragma unroll 8
    for (int i = 0; i < 32; ++i) {{
        const unsigned bits = __shfl_sync(all_lanes, tile.bits, i);
        const int element = (t & ~31) * 32 + 32 * i + lane;
        if (bits >> lane & 1) chosen[rank + __popc(bits & before_lane)] = (unsigned short)element;
        rank += __popc(bits);
    }}
}}

extern "C" __global__ void __launch_bounds__(256, 4) {0}(
    result* __restrict__ results, long long* __restrict__ total, const bool* __restrict__ mask,
    {1}unsigned long long* states, unsigned* __restrict__ ticket,
    const long long count, const long long tiles)
{{
    __shared__ unsigned short chosen[tile_elements];
    __shared__ unsigned of_warps[2][8], taken;
    __shared__ long long of_warps_before[8];
    const int t = threadIdx.x;
    // blocks take tiles in order, so that others, or they themselves, have begun the tiles before
    unsigned following = t == 0 ? atomicAdd(ticket, 1u) : 0u;
    begun_tile own, begun;
    own.tile = -1;
    for (int turn = 0;; turn ^= 1) {{
        if (t == 0) {{
            taken = following;
            following = atomicAdd(ticket, 1u);
        }}
        __syncthreads();
        const bool begins = taken < tiles;
        if (begins) begun = begin_tile(mask, count, taken, of_warps[turn], states);
        if (own.tile >= 0) {{
            list_trues(own, chosen);
            const long long before = trues_before(states, own.tile, of_warps_before), begin = own.tile * tile_elements;
            if (t == 0 && own.tile > 0) publish(states + own.tile, 2, before + own.trues);
            if (t == 0 && own.tile == tiles - 1) *total = before + own.trues;
            // a warp's stores begin where one of 32 elements does
            result* const to = results + before;
#pragma unroll 8
            for (int e = t - int(before & 31); e < int(own.trues); e += 256)
                if (e >= 0) to[e] = {2};
        }}
        if (!begins) return;
        own = begun;
    }}
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

constexpr const char* value_text = R"(
template <class T>
__device__ result stored_bytes(const T x)
{
    static_assert(sizeof(T) == sizeof(result), "an element is stored as it is computed");
    result y;
    memcpy(&y, &x, sizeof y);
    return y;
}
)";

}  // namespace

const char* compact_name(const compact_source& s) {
    return s.element_bytes == 0 ? "store_positions_of_trues" : "store_chosen_elements";
}

std::string compact_text(const compact_source& s, const printed_element* mask, const printed_element* values) {
    const bool positions = s.element_bytes == 0;
    std::string text = fmt::format("constexpr int tile_elements = {};\n", compact_tile) + result_text(s) +
                       block_scan_text + (mask ? function_text : array_text) + look_back_text;
    if (!positions) text += value_text;
    text += fmt::format(store_text, compact_name(s), positions ? "" : "const result* __restrict__ values,\n    ",
                        positions ? "begin + chosen[e]" : "stored_bytes(values[begin + chosen[e]])");
    if (mask) text = with_function(std::move(text), "const bool* __restrict__ mask,\n    ", *mask);
    if (values) text = with_function(std::move(text), "const result* __restrict__ values,\n    ", *values);
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
