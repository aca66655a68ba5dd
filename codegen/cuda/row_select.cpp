// Selects the elements of rows at given ranks without sorting the rows.
//
// A block narrows the range of keys that contains the element: it counts the elements in up to 1024 equal parts of the
// range and continues with the part that contains the rank, until few elements are left, which it sorts (C. Hoare's
// quickselect, "Algorithm 65: find", Comm. ACM 4, 1961, with a histogram in place of a pivot). The first k elements
// have a bound at once: each thread has a least key; a warp takes the ceil(k / 8)-th least of its 32, and at least k
// elements do not exceed the greatest of the 8 warps'. Both are exact; many equal elements take longer.
#include <codegen/cuda/row_sort.hpp>

namespace sinter::codegen {

const char* const row_select_text = R"(
typedef decltype(word() + 0u) wide_word;
constexpr int parts_of_range = 1024, max_chosen = 1024;
constexpr unsigned max_counted = 128;  // up to which counting takes less time than a network with its barriers
__device__ word quiet_nan() { return word(infinity | word(infinity & word(~infinity + 1)) >> 1); }

// Shuffles have no form for short words.
__device__ word shuffled(const word x, const int lanes)
{
    return word(__shfl_xor_sync(all_lanes, wide_word(x), lanes));
}
__device__ word least_in_warp(word x)
{
#pragma unroll 1
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const word other = shuffled(x, lanes);
        x = other < x ? other : x;
    }
    return x;
}
// The keys of a warp in ascending order: lane i gets the i-th.
__device__ word sorted_in_warp(word x)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int run = 2; run <= 32; run *= 2)
#pragma unroll
        for (int apart = run / 2; apart > 0; apart /= 2) {
            const word other = shuffled(x, apart);
            const bool keeps_least = ((lane & apart) == 0) == ((lane & run) == 0);
            x = keeps_least == (other < x) ? other : x;
        }
    return x;
}

__shared__ word chosen_key[max_chosen], ends[16];
__shared__ unsigned chosen_at[max_chosen];
__shared__ unsigned counts[parts_of_range], of_warps[8], found[3], chosen;

// A piece of a row. Thread t has the elements t, t + 256, ...: their keys are in registers, or `items` is 0 and each
// step reads the elements again, from a cache.
struct row_piece {
    const element* first;
    int length;
    word held[items > 0 ? items : 1];

    __device__ word key(const int at) const
    {
        return ordered_key(first[at].part[0]);
    }
    __device__ void load()
    {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            const int at = threadIdx.x + 256 * i;
            held[i] = at < length ? first[at].part[0] : word(0);
        }
#pragma unroll
        for (int i = 0; i < items; ++i) held[i] = ordered_key(held[i]);
    }
    template <class Visit>
    __device__ void for_each(const Visit& visit) const
    {
        if constexpr (items > 0) {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                const int at = threadIdx.x + 256 * i;
                if (at < length) visit(held[i], at);
            }
        } else {
#pragma unroll 4
            for (int at = threadIdx.x; at < length; at += 256) visit(key(at), at);
        }
    }
};

// The least and the greatest key of a block.
__device__ void find_ends(const row_piece& own, word& low, word& high)
{
    word least = word(~word(0)), not_most = least;
    own.for_each([&](const word key, int) {
        const word turned = word(~key);
        least = key < least ? key : least;
        not_most = turned < not_most ? turned : not_most;
    });
    least = least_in_warp(least);
    not_most = least_in_warp(not_most);
    if (threadIdx.x % 32 == 0) {
        ends[threadIdx.x / 32] = least;
        ends[8 + threadIdx.x / 32] = not_most;
    }
    __syncthreads();
    low = ends[0];
    word not_high = ends[8];
    for (int w = 1; w < 8; ++w) {
        low = ends[w] < low ? ends[w] : low;
        not_high = ends[8 + w] < not_high ? ends[8 + w] : not_high;
    }
    high = word(~not_high);
}

// Narrows [low, high], which `before` elements stand before, to the part that has the element of this rank; gives how
// many elements it has.
__device__ unsigned narrow(const row_piece& own, word& low, word& high, unsigned& before, const unsigned rank)
{
    const int t = threadIdx.x;
    const word width = word(high - low);
    int shift = 0;
    while (word(width >> shift) >= parts_of_range) ++shift;
    for (int i = t; i < parts_of_range; i += 256) counts[i] = 0;
    __syncthreads();
    own.for_each([&](const word key, int) {
        if (key >= low && key <= high) atomicAdd(&counts[unsigned(word(key - low) >> shift)], 1u);
    });
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) sum += counts[4 * t + i];
    unsigned ahead = before + sum_before(of_warps, sum);
    for (int i = 0; i < 4; ++i) {
        const unsigned here = counts[4 * t + i];
        if (rank >= ahead && rank < ahead + here) {
            found[0] = unsigned(4 * t + i);
            found[1] = ahead;
            found[2] = here;
        }
        ahead += here;
    }
    __syncthreads();
    const word begin = word(low + word(word(found[0]) << shift)), end = word(begin + word(word(word(1) << shift) - 1));
    high = end < begin || end > high ? high : end;
    low = begin;
    before = found[1];
    return found[2];
}

// The elements with keys in [low, high] go to chosen_key and chosen_at, as far as they fit; gives how many they are.
__device__ unsigned choose(const row_piece& own, const word low, const word high)
{
    __syncthreads();
    if (threadIdx.x == 0) chosen = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x & 31u;
    unsigned mine = 0;
    own.for_each([&](const word key, int) { mine += key >= low && key <= high; });
    unsigned sum = mine;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned left = __shfl_up_sync(all_lanes, sum, step);
        if (lane >= step) sum += left;
    }
    unsigned to = lane == 31 ? atomicAdd(&chosen, sum) : 0u;
    to = __shfl_sync(all_lanes, to, 31) + sum - mine;
    if (mine > 0) {
        own.for_each([&](const word key, const int at) {
            if (key < low || key > high) return;
            if (to < max_chosen) {
                chosen_key[to] = key;
                chosen_at[to] = unsigned(at);
            }
            ++to;
        });
    }
    __syncthreads();
    return chosen;
}

// Calls `visit` with how many of those chosen precede each, its position and its key. Neighbouring lanes share the
// comparisons.
template <class Visit>
__device__ void rank_chosen(const unsigned count, const Visit& visit)
{
    unsigned lanes = 1;
    while (lanes < 32 && 2 * lanes * count <= 256) lanes *= 2;
    const unsigned own = threadIdx.x / lanes, lane = threadIdx.x % lanes, at = own < count ? chosen_at[own] : 0u;
    const word key = own < count ? chosen_key[own] : word(0);
    unsigned rank = 0;
#pragma unroll 4
    for (unsigned c = lane; c < count; c += lanes) {
        const word other = chosen_key[c];
        rank += other < key || (other == key && chosen_at[c] < at);
    }
    for (unsigned apart = lanes / 2; apart > 0; apart /= 2) rank += __shfl_xor_sync(all_lanes, rank, apart);
    if (own < count && lane == 0) visit(rank, at, key);
}

// Sorts what was chosen, by a bitonic network: by keys, then by places. Places behind the last one count as the
// greatest.
__device__ void sort_chosen(const unsigned count)
{
    unsigned padded = 1;
    while (padded < count) padded *= 2;
    for (unsigned i = count + threadIdx.x; i < padded; i += 256) {
        chosen_key[i] = word(~word(0));
        chosen_at[i] = ~0u;
    }
    for (unsigned run = 2; run <= padded; run *= 2)
        for (unsigned apart = run / 2; apart > 0; apart /= 2) {
            __syncthreads();
            for (unsigned pair = threadIdx.x; pair < padded / 2; pair += 256) {
                const unsigned low = 2 * pair - (pair & (apart - 1)), high = low + apart;
                const word x = chosen_key[low], y = chosen_key[high];
                const unsigned at_x = chosen_at[low], at_y = chosen_at[high];
                const bool is_behind = y < x || (y == x && at_y < at_x);
                if (is_behind == ((low & run) == 0)) {
                    chosen_key[low] = y;
                    chosen_key[high] = x;
                    chosen_at[low] = at_y;
                    chosen_at[high] = at_x;
                }
            }
        }
    __syncthreads();
}

// A block takes a piece of a row: it stores the elements of `count` ranks from `first` on, in order. The position of an
// element is where it stands in its row, or what `origin` says.
extern "C" __global__ void __launch_bounds__(256, sizeof(word) == 8 ? 2 : 4) select_in_row(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ origin, const long long pieces, const long long length, const long long first,
    const long long count, const long long nan_spoils)
{
    const int t = threadIdx.x;
    long long row = blockIdx.x, start = 0, end_of_piece = length;
    if (pieces > 1) {  // divisions of 64 bits take as long as an access to memory
        row = blockIdx.x / pieces;
        const long long piece = blockIdx.x % pieces;
        start = piece * length / pieces;
        end_of_piece = (piece + 1) * length / pieces;
    }
    const long long begin = row * length + start, to = blockIdx.x * count - first;
    row_piece own;
    own.first = source + begin;
    own.length = int(end_of_piece - start);
    own.load();
    const auto store = [&](const unsigned rank, const unsigned at, const word key) {
        const bool is_ambiguous = infinity != 0 && (key == ordered_key(0) || key == ordered_key(quiet_nan()));
        if (values) values[to + rank].part[0] = is_ambiguous ? own.first[at].part[0] : bits_of(key);
        if (indices) indices[to + rank] = origin ? origin[begin + at] : index_type(start + at);
    };
    const unsigned end = unsigned(first + count);
    const bool from_0 = first == 0 && end <= max_chosen;  // the first ones: all are chosen up to the last of them
    word low = 0, high = word(~word(0));
    unsigned next = unsigned(first), here = unsigned(own.length), before = 0;
    bool bounded = false;
    if (from_0 && end <= 256 && !nan_spoils) {
        word least = word(~word(0));
        own.for_each([&](const word key, int) { least = key < least ? key : least; });
        const word sorted = sorted_in_warp(least);
        if (t % 32 == int(end + 7) / 8 - 1) ends[t / 32] = sorted;
        __syncthreads();
        high = ends[0];
        for (int w = 1; w < 8; ++w) high = ends[w] > high ? ends[w] : high;
        here = choose(own, low, high);
        bounded = true;
    }
    while (next < end) {
        if (!bounded) {
            find_ends(own, low, high);
            before = 0;
            if (infinity != 0 && nan_spoils && (descending ? low == word(0) : high == word(~word(0)))) {
                for (unsigned rank = next + t; rank < end; rank += 256) values[to + rank].part[0] = quiet_nan();
                return;
            }
        }
        bool all_equal = false, is_chosen = bounded && here <= max_chosen;
        while ((from_0 ? before : 0) + here > max_chosen) {
            all_equal = low == high;
            if (all_equal) break;
            __syncthreads();
            here = narrow(own, low, high, before, from_0 ? end - 1 : next);
        }
        const unsigned ahead = from_0 ? 0 : before;
        unsigned few = 0;
        if (is_chosen)
            few = here;
        else if (!all_equal)
            few = choose(own, from_0 ? word(0) : low, high);
        else if (from_0 && before > next)
            few = choose(own, word(0), word(low - 1));
        const auto store_chosen = [&](const unsigned rank, const unsigned at, const word key) {
            if (ahead + rank >= next && ahead + rank < end) store(ahead + rank, at, key);
        };
        if (few <= max_counted) {
            rank_chosen(few, store_chosen);
        } else {
            sort_chosen(few);
            for (unsigned c = t; c < few; c += 256) store_chosen(c, chosen_at[c], chosen_key[c]);
        }
        if (all_equal) {  // in the order of their places
            unsigned rank = before;
            for (int at = t; at - t < own.length; at += 256) {
                const bool equal = at < own.length && own.key(at) == low;
                __syncthreads();
                const unsigned mine = rank + sum_before(of_warps, equal);
                if (equal && mine >= next && mine < end) store(mine, unsigned(at), low);
                for (int w = 0; w < 8; ++w) rank += of_warps[w];
            }
        }
        next = before + here;
        here = unsigned(own.length);
        bounded = false;
        __syncthreads();
    }
}
)";

}  // namespace sinter::codegen
