// The text of the kernel of stream compaction: a scan of the mask by decoupled look-back (D. Merrill and M. Garland,
// "Single-pass parallel prefix scan with decoupled look-back", NVR-2016-002), so that mask and values are read once. A
// block gathers what is chosen of its tile in shared memory, so that what it stores is contiguous.
#include <codegen/cuda/compact.hpp>

#include <codegen/analysis/device_snippets.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* look_back_text = R"(
constexpr int tile_elements = 256 * items;
constexpr unsigned all_lanes = 0xffffffffu;

// What a tile says: nothing yet (0), how many trues it has (1), or how many it and all before it have (2).
constexpr int state_shift = 62;

__device__ void publish(volatile unsigned long long* state, const unsigned long long kind, const long long trues)
{
    *state = kind << state_shift | (unsigned long long)trues;
}

// The trues in all tiles before this one, of which the lanes of a warp read 32 at a time.
__device__ long long trues_before(const volatile unsigned long long* states, const long long tile)
{
    const int lane = threadIdx.x & 31;
    long long before = 0;
    for (long long last = tile - 1; last >= 0; last -= 32) {
        unsigned long long said = 2ull << state_shift;
        if (last >= lane)
            while ((said = states[last - lane]) >> state_shift == 0) __nanosleep(20);
        const unsigned inclusive = __ballot_sync(all_lanes, said >> state_shift == 2);
        const int last_lane = inclusive != 0 ? __ffs(int(inclusive)) - 1 : 31;
        long long trues = lane <= last_lane ? (long long)(said & ~(3ull << state_shift)) : 0;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) trues += __shfl_xor_sync(all_lanes, trues, step);
        before += trues;
        if (inclusive != 0) break;
    }
    return before;
}
)";

constexpr const char* values_text = R"(
template <class T>
__device__ element stored_bytes(const T& x)
{
    static_assert(sizeof(T) == sizeof(element), "an element is stored as it is computed");
    element y;
    memcpy(&y, &x, sizeof y);
    return y;
}
)";

// A warp has 32 * items neighbouring elements, of which a step takes 32: the bits of its votes are in their order.
constexpr const char* store_text = R"(
extern "C" __global__ void __launch_bounds__(256, 4) {0}(
    result* __restrict__ results, long long* __restrict__ total, const bool* __restrict__ mask,
    {1}unsigned long long* states, unsigned* __restrict__ ticket,
    const long long count, const long long tiles)
{{
    __shared__ element chosen[tile_elements];
    __shared__ unsigned of_warps[8], taken;
    __shared__ long long before_tile;
    const int t = threadIdx.x, lane = t & 31, warp = t / 32;
    // blocks take the tiles in the order in which they begin, so that the tiles before have begun
    if (t == 0) taken = atomicAdd(ticket, 1u);
    __syncthreads();
    const long long tile = taken, begin = tile * tile_elements;
    const int own = warp * 32 * items + lane;
    const int in_tile = count - begin < tile_elements ? int(count - begin) : tile_elements;
    const unsigned own_bit = 1u << lane;
    unsigned votes[items], trues = 0;
    bool kept[items];
    if (in_tile == tile_elements) {{
#pragma unroll
        for (int i = 0; i < items; ++i) kept[i] = mask[begin + (own + 32 * i)];
    }} else {{
#pragma unroll
        for (int i = 0; i < items; ++i) kept[i] = own + 32 * i < in_tile && mask[begin + (own + 32 * i)];
    }}
#pragma unroll
    for (int i = 0; i < items; ++i) {{
        votes[i] = __ballot_sync(all_lanes, kept[i]);
        trues += __popc(votes[i]);
    }}
    element x[items];
#pragma unroll
    for (int i = 0; i < items; ++i)
        if (votes[i] & own_bit) x[i] = {2};
    if (lane == 0) of_warps[warp] = trues;
    __syncthreads();
    unsigned rank = 0, of_tile = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {{
        if (w == warp) rank = of_tile;
        of_tile += of_warps[w];
    }}
    if (t == 0) publish(states + tile, tile == 0 ? 2 : 1, of_tile);
#pragma unroll
    for (int i = 0; i < items; ++i) {{
        if (votes[i] & own_bit) chosen[rank + __popc(votes[i] & (own_bit - 1))] = x[i];
        rank += __popc(votes[i]);
    }}
    if (warp == 0) {{
        const long long before = trues_before(states, tile);
        if (lane == 0) {{
            if (tile > 0) publish(states + tile, 2, before + of_tile);
            if (tile == tiles - 1) *total = before + of_tile;
            before_tile = before;
        }}
    }}
    __syncthreads();
    // a warp's stores begin where one of 32 elements does
    result* const to = results + before_tile;
    const int misplaced = int(before_tile & 31);
    for (int e = t - misplaced; e < int(of_tile); e += 256)
        if (e >= 0) to[e] = {3};
}}
)";

std::string type_text(const compact_source& s) {
    if (s.element_bytes == 0)
        return "typedef unsigned short element;  // a position in the tile\ntypedef long long result;\n";
    if (s.element_bytes == 16)
        return "struct alignas(16) element { unsigned long long part[2]; };\ntypedef element result;\n";
    const char* const word = s.element_bytes == 1   ? "unsigned char"
                             : s.element_bytes == 2 ? "unsigned short"
                             : s.element_bytes == 4 ? "unsigned"
                                                    : "unsigned long long";
    return fmt::format("typedef {} element;\ntypedef element result;\n", word);
}

}  // namespace

const char* compact_name(const compact_source& s) {
    return s.element_bytes == 0 ? "store_positions_of_trues" : "store_chosen_elements";
}

std::string compact_text(const compact_source& s, const printed_element* mask, const printed_element* values) {
    const bool positions = s.element_bytes == 0;
    std::string text = fmt::format("constexpr int items = {};\n", s.items()) + type_text(s) + look_back_text;
    if (!positions) text += values_text;
    text += fmt::format(store_text, compact_name(s), positions ? "" : "const element* __restrict__ values,\n    ",
                        positions ? "element(own + 32 * i)" : "stored_bytes(values[begin + (own + 32 * i)])",
                        positions ? "begin + chosen[e]" : "chosen[e]");
    if (mask) text = with_function(std::move(text), "const bool* __restrict__ mask,\n    ", *mask);
    if (values) text = with_function(std::move(text), "const element* __restrict__ values,\n    ", *values);
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
