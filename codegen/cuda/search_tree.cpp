// Searches by a tree of separators in shared memory, and interpolation between the points that they find.
//
// Steps of a binary search in a sorted array read words that are powers of two apart, which share a bank of shared
// memory. In the order of a breadth-first walk of the search tree, the words of one level are neighbours, and the path
// to a leaf spells the number of separators before it (P.-V. Khuong and P. Morin, "Array layouts for comparison-based
// searching", ACM J. Exp. Algorithmics 22, 2017).
#include <codegen/cuda/search_tree.hpp>

#include <codegen/analysis/device_snippets.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

const char* const search_tree_text = R"(
// A tree of 2^levels separators: every `step`-th of `length` sorted elements, and the greatest key where there are no
// more. The greatest separator is at index 0. If the step is not 1, a search goes on in memory.
template <class Keys>
struct search_tree {
    word* separators;
    const Keys& key_of;
    long long length, step;

    __device__ void fill() const
    {
        for (int i = threadIdx.x; i < 1 << levels; i += 256) {
            const int height = __ffs(i + 1) - 1;
            const long long from = (i + 1) * step - 1;
            const int to = height < levels ? (1 << (levels - 1 - height)) + ((i + 1) >> (height + 1)) : 0;
            separators[to] = from < length ? key_of(from) : word(~word(0));
        }
    }
    // How many separators are less than `bound`.
    __device__ unsigned separators_before(const word bound) const
    {
        unsigned at = 1;
#pragma unroll
        for (int level = 0; level < levels; ++level) at = 2 * at + (separators[at] < bound);
        return at - (1u << levels) + (separators[0] < bound);
    }
    // How many elements have a key less than `bound`.
    __device__ place elements_before(const word bound) const
    {
        const unsigned segment = separators_before(bound);
        if constexpr (is_whole) {
            return segment;
        } else {
            long long low = segment * step, left = length - low < step - 1 ? length - low : step - 1;
            while (left > 0) {
                const long long half = left / 2;
                low += key_of(low + half) < bound ? left - half : 0;
                left = half;
            }
            return low;
        }
    }
};

// results[i] = of(values[i]) for the block's share of the values from `begin` to `end`, `width` neighbours per access.
template <int width, class Result, class Value, class F>
__device__ void map_neighbours(Result* __restrict__ results, const Value* __restrict__ values, const long long begin,
                               const long long end, const F& of)
{
    constexpr int at_once = (is_whole ? 8 : 4) / width;
    struct alignas(width * sizeof(Value) < 16 ? width * sizeof(Value) : 16) value_group { Value part[width]; };
    struct alignas(width * sizeof(Result) < 16 ? width * sizeof(Result) : 16) result_group { Result part[width]; };
    const value_group* const from = reinterpret_cast<const value_group*>(values + begin);
    result_group* const to = reinterpret_cast<result_group*>(results + begin);
    const long long count = (end - begin) / width, step = gridDim.x * (256ll * at_once);
    for (long long first = blockIdx.x * (256ll * at_once) + threadIdx.x; first < count; first += step) {
        value_group x[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i)
            if (first + 256 * i < count) x[i] = from[first + 256 * i];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            if (first + 256 * i >= count) continue;
            result_group made;
#pragma unroll
            for (int e = 0; e < width; ++e) made.part[e] = of(x[i].part[e]);
            to[first + 256 * i] = made;
        }
    }
}

// The same for all values, by accesses of 16 bytes where addresses allow it.
template <class Result, class Value, class F>
__device__ void map_values(Result* __restrict__ results, const Value* __restrict__ values, const long long count,
                           const F& of)
{
    const unsigned long long from = reinterpret_cast<unsigned long long>(values);
    const unsigned long long to = reinterpret_cast<unsigned long long>(results);
    const long long in_fours = (from | to) % 16 == 0 ? count / 4 * 4 : 0;
    map_neighbours<4>(results, values, 0, in_fours, of);
    map_neighbours<1>(results, values, in_fours, count, of);
}
)";

const char* const search_by_tree_text = R"(
struct element_keys {
    const element* sorted;
    __device__ word operator()(const long long i) const { return key_of(sorted[i], 0); }
};

extern "C" __global__ void __launch_bounds__(256) search_by_tree(
    index_type* __restrict__ places, const element* __restrict__ sorted, const element* __restrict__ values,
    const long long count, const long long length, const long long behind_equals, const long long step)
{
    __shared__ word separators[1 << levels];
    const element_keys keys{sorted};
    const search_tree<element_keys> tree{separators, keys, length, step};
    tree.fill();
    __syncthreads();
    map_values(places, values, count, [&](const element x) -> index_type {
        const word bound = word(key_of(x, 0) + word(behind_equals));  // the least key that is not before x
        const place before = tree.elements_before(bound);
        return behind_equals != 0 && bound == 0 ? length : (long long)before;
    });
}
)";

namespace {

constexpr const char* interpolate_text = R"(
struct point_keys {
    const real* x;
    __device__ word operator()(const long long i) const { return word(order_key<real>(x[i])); }
};

struct alignas(2 * sizeof(real)) point { real x, y; };

// The slope from a point to the next one.
__device__ real slope_from(const real* x, const real* y, const long long i, const long long last)
{
    const long long next = i < last ? i + 1 : i;
    return (y[next] - y[i]) / (x[next] - x[i]);
}

// Where the interpolation from the point below is NaN: that from the point above, or the value that both have.
__device__ real between_infinities(const real x, const real y, const real next_x, const real next_y, const real slope)
{
    return y == next_y ? y : next_y + (x - next_x) * slope;
}

extern "C" __global__ void __launch_bounds__(256) interpolate(
    real* __restrict__ results, const real* __restrict__ known_x, const real* __restrict__ known_y,
    const real* __restrict__ values, const long long count, const long long length, const long long step)
{
    constexpr int held = is_whole ? 1 << levels : 1;
    __shared__ word separators[1 << levels];
    __shared__ point points[held];
    __shared__ real slopes[held];
    const point_keys keys{known_x};
    const search_tree<point_keys> tree{separators, keys, length, step};
    const place last = place(length - 1);
    tree.fill();
    if constexpr (is_whole)
        for (int i = threadIdx.x; i < length; i += 256) {
            points[i].x = known_x[i];
            points[i].y = known_y[i];
            slopes[i] = slope_from(known_x, known_y, i, last);
        }
    __syncthreads();
    const real first_x = known_x[0], first_y = known_y[0], last_x = known_x[last], last_y = known_y[last];
    map_values(results, values, count, [&](const real x) {
        // the points that are not above x; none for NaN, whose key is the greatest
        const place not_above = tree.elements_before(word(order_key<real>(x) + 1));
        const place from = not_above > 0 ? not_above - 1 : 0;
        point own;
        real slope;
        if constexpr (is_whole) {
            own.x = points[from].x;
            own.y = points[from].y;
            slope = slopes[from];
        } else {
            own.x = known_x[from];
            own.y = known_y[from];
            slope = slope_from(known_x, known_y, from, last);
        }
        real between = x == own.x ? own.y : own.y + (x - own.x) * slope;
        if (between != between && x == x && from < last)  // from an infinite point, or between two of them
            between = between_infinities(x, own.y, known_x[from + 1], known_y[from + 1], slope);
        return x < first_x ? first_y : x >= last_x ? last_y : between;
    });
}
)";

}  // namespace

std::string tree_constants(int levels, bool is_whole) {
    return fmt::format("typedef {} place;\nconstexpr int levels = {};\nconstexpr bool is_whole = {};\n",
                       is_whole ? "unsigned" : "long long", levels, is_whole);
}

std::string interpolate_text_of(const interpolate_source& s) {
    const std::string text = fmt::format("typedef {} real;\ntypedef {} word;\n", s.is_double ? "double" : "float",
                                         s.is_double ? "unsigned long long" : "unsigned") +
                             tree_constants(s.levels, s.is_whole) + search_tree_text + interpolate_text;
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
