// Selects the first few elements of rows, one warp per row.
//
// A warp has the 32 first elements so far, in order, one per lane. It reads its row in pieces. Lanes offer those of
// their elements that precede the last wanted one, one each at a time; the warp inserts the few or sorts and merges the
// many (J. Johnson, M. Douze and H. Jegou, "Billion-scale similarity search with GPUs", IEEE Trans. Big Data 7, 2021,
// section 4). Of n random elements, k ln(n / k) are wanted at first; of the first piece, where most are, only those
// that do not exceed the k-th of the lanes' least ones. While a piece is searched, the next one is read. No warp waits
// for another.
#include <codegen/cuda/row_sort.hpp>

namespace sinter::codegen {

const char* const row_first_text = R"(
typedef decltype(word() + 0u) wide_word;  // shuffles have no form for short words
__device__ word quiet_nan() { return word(infinity | word(infinity & word(~infinity + 1)) >> 1); }

// A key, and where its element is. Keys that are no element's are behind all others.
struct placed { word key; unsigned at; };
__device__ bool is_behind(const placed x, const placed y)
{
    return y.key < x.key || (y.key == x.key && y.at < x.at);
}
__device__ placed from_lane_xor(const placed x, const int lanes)
{
    return {word(__shfl_xor_sync(all_lanes, wide_word(x.key), lanes)), __shfl_xor_sync(all_lanes, x.at, lanes)};
}
__device__ placed from_lane(const placed x, const int lane)
{
    return {word(__shfl_sync(all_lanes, wide_word(x.key), lane)), __shfl_sync(all_lanes, x.at, lane)};
}

// One step of a bitonic network over the lanes.
__device__ placed put_in_order(const placed x, const int apart, const bool ascending)
{
    const placed other = from_lane_xor(x, apart);
    const bool keeps_first = ((threadIdx.x & unsigned(apart)) == 0) == ascending;
    return keeps_first == is_behind(x, other) ? other : x;
}

// The first 32 of those that a warp has and of 32 more, in order.
__device__ placed merged(const placed best, placed more)
{
#pragma unroll
    for (int run = 2; run <= 32; run *= 2)
#pragma unroll
        for (int apart = run / 2; apart > 0; apart /= 2)
            more = put_in_order(more, apart, (threadIdx.x & unsigned(run) & 31u) == 0);
    const placed last_first = from_lane_xor(more, 31);
    placed first = is_behind(best, last_first) ? last_first : best;
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) first = put_in_order(first, apart, true);
    return first;
}

// The lanes' keys in ascending order.
__device__ word sorted_in_warp(word key)
{
#pragma unroll
    for (int run = 2; run <= 32; run *= 2)
#pragma unroll
        for (int apart = run / 2; apart > 0; apart /= 2) {
            const word other = word(__shfl_xor_sync(all_lanes, wide_word(key), apart));
            const bool is_first = (threadIdx.x & unsigned(apart)) == 0;
            const bool keeps_least = is_first == ((threadIdx.x & unsigned(run) & 31u) == 0);
            key = keeps_least == (other < key) ? other : key;
        }
    return key;
}

// The first 32 of those that a warp has and of one more.
__device__ placed with_inserted(const placed best, const placed one)
{
    const int lane = threadIdx.x & 31;
    const int place = __popc(__ballot_sync(all_lanes, is_behind(one, best)));
    placed left;
    left.key = word(__shfl_up_sync(all_lanes, wide_word(best.key), 1));
    left.at = __shfl_up_sync(all_lanes, best.at, 1);
    return lane < place ? best : lane == place ? one : left;
}

constexpr int many = 6;  // from which sorting takes less time than inserting

// A warp takes a piece of a row: it stores its first `count` elements, of at most 32. The position of an element is
// where it is in its row, or what `origin` says.
extern "C" __global__ void __launch_bounds__(256, 4) select_first_of_row(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ origin, const long long warps, const long long pieces, const long long length,
    const long long count)
{
    __shared__ word keys[8][items][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const long long own = blockIdx.x * 8ll + warp;
    if (own >= warps) return;
    long long row = own, start = 0, end = length;
    if (pieces > 1) {  // divisions of 64 bits take as long as an access to memory
        row = own / pieces;
        const long long piece = own % pieces;
        start = piece * length / pieces;
        end = (piece + 1) * length / pieces;
    }
    const element* const first = source + row * length + start;
    const unsigned n = unsigned(end - start);
    word held[items];
    const auto load = [&](const unsigned base) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            const unsigned at = base + 32 * i + lane;
            if (at < n) held[i] = first[at].part[0];
        }
    };
    load(0);
    const placed none = {word(~word(0)), ~0u};
    placed best = none, bound = none;  // bound: the last wanted one
    for (unsigned base = 0; base < n; base += 32 * items) {
        word least = none.key;
#pragma unroll
        for (int i = 0; i < items; ++i) {
            held[i] = base + 32 * i + lane < n ? ordered_key(held[i]) : none.key;
            keys[warp][i][lane] = held[i];
            least = held[i] < least ? held[i] : least;
        }
        if (base == 0) bound.key = word(__shfl_sync(all_lanes, wide_word(sorted_in_warp(least)), int(count) - 1));
        unsigned wanted = 0;  // which of the lane's elements may precede the bound
#pragma unroll
        for (int i = 0; i < items; ++i)
            wanted |= unsigned(base == 0 ? !(bound.key < held[i]) : held[i] < bound.key) << i;
        load(base + 32 * items);
        while (__any_sync(all_lanes, wanted != 0)) {
            placed mine = none;
            if (wanted != 0) {
                const int i = __ffs(int(wanted)) - 1;
                wanted &= wanted - 1;
                mine.key = keys[warp][i][lane];
                mine.at = base + 32 * i + lane;
            }
            const bool is_before = mine.at < n && is_behind(bound, mine);
            unsigned left = __ballot_sync(all_lanes, is_before);
            if (left == 0) continue;
            if (__popc(left) > many) {
                best = merged(best, is_before ? mine : none);
            } else {
                for (; left != 0; left &= left - 1)
                    best = with_inserted(best, from_lane(mine, __ffs(int(left)) - 1));
            }
            bound = from_lane(best, int(count) - 1);
        }
    }
    if (lane >= count) return;
    const bool is_ambiguous = infinity != 0 && (best.key == ordered_key(0) || best.key == ordered_key(quiet_nan()));
    if (values) values[own * count + lane].part[0] = is_ambiguous ? first[best.at].part[0] : bits_of(best.key);
    if (indices) indices[own * count + lane] = origin ? origin[row * length + start + best.at]
                                                      : index_type(start + best.at);
}
)";

}  // namespace sinter::codegen
