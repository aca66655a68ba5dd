// Source of the kernels that add values at indices in any order. Floats are added as integers: an integer sum does not
// depend on the order of its additions, which atomics leave open. Each place has a unit of its own, so that small
// values do not vanish beside the large ones of other places (J. Demmel and H. D. Nguyen, "Fast reproducible
// floating-point summation", ARITH 2013, bin by exponent likewise).
#include <codegen/cuda/scatter_sums.hpp>

#include <codegen/cuda/named_text.hpp>
#include <codegen/cuda/scatter_magnitudes.hpp>
#include <codegen/cuda/types.hpp>

#include <fmt/format.h>

#include <bit>

namespace sinter::codegen {
namespace {

constexpr const char* place_text = R"(
// The place of a value among all places; -1 if its key is out of range.
__device__ place place_of(const index id, const int* __restrict__ keys, const int count, const int extent,
                          const long long inner)
{
    if (is_line) {
        const int key = keys[id];
        return key < extent ? key : -1;
    }
    const index row = id / index(inner), outer = row / index(count);
    const int key = keys[row - outer * index(count)];
    return key < extent ? place((outer * index(extent) + index(key)) * index(inner) + (id - row * index(inner))) : -1;
}

// Calls f(places, values) for `reads` values at a time of the share of a block among `blocks`. All threads of a block
// call it together, with place -1 where there is no value.
template <class F>
__device__ void for_each_batch(const int* __restrict__ keys, const element* __restrict__ values, const long long total,
                               const int count, const int extent, const long long inner, const int block,
                               const int blocks, const F& f)
{
    const index stride = index(blocks) * threads;
    for (index base = index(block) * threads; base < index(total); base += reads * stride) {
        place at[reads];
        element x[reads];
#pragma unroll
        for (int r = 0; r < reads; ++r) {
            const index id = base + r * stride + threadIdx.x;
            const bool inside = id < index(total);
            x[r] = inside ? values[id] : element(0);
            at[r] = inside ? place_of(id, keys, count, extent, inner) : -1;
        }
        f(at, x);
    }
}
)";

constexpr const char* special_text = R"(
// Where infinities and NaN are, a sum is the set of those: 1 stands for positive ones, 2 for negative ones, 3 for NaN.
__device__ void note_special(limb* sum, const element x)
{
    const unsigned own = x - x == 0 ? 0u : x > 0 ? 1u : x < 0 ? 2u : 3u;
    unsigned* const low = reinterpret_cast<unsigned*>(sum);
    if ((__ldcg(low) & own) != own) atomicOr(low, own);
}
)";

constexpr const char* float_addend_text = R"(
struct addend { limb part[limbs]; };

// A float as an integer in its place's unit, of 2^room at most.
__device__ addend addend_of(const element x, const unsigned magnitude, const int room)
{
    addend made;
    made.part[0] = limb((long long)__float2int_rn(scaled(x, scale_of(magnitude, room))));
    return made;
}
)";

constexpr const char* double_addend_text = R"(
struct addend { limb part[limbs]; };

// A double likewise, truncated; what the first limb truncates is in the second one.
__device__ addend addend_of(const element x, const unsigned magnitude, const int room)
{
    addend made;
    double left = scaled(x, scale_of(magnitude, room));
#pragma unroll
    for (int i = 0; i < limbs; ++i) {
        const long long whole = (long long)left;
        made.part[i] = limb(whole);
        left = (left - double(whole)) * power_of_two(room);
    }
    return made;
}
)";

constexpr const char* integer_addend_text = R"(
struct addend { limb part[limbs]; };
constexpr unsigned special = 1;

__device__ addend addend_of(const element x, unsigned, int)
{
    addend made;
    made.part[0] = limb(x);
    return made;
}
__device__ void note_special(limb*, element) {}
)";

constexpr const char* batch_text = R"(
// The sum of a warp's addends, in its first lane.
__device__ addend sum_of_warp(addend own)
{
#pragma unroll
    for (int i = 0; i < limbs; ++i)
#pragma unroll
        for (int step = 16; step > 0; step /= 2) own.part[i] += __shfl_down_sync(0xffffffffu, own.part[i], step);
    return own;
}

// The addends of a batch; place -1 where there is nothing left to add. Additions to one place wait for each other:
// where all lanes of a warp have the same, the first one gets the sum, and the others get place -1.
__device__ void make_addends(addend (&made)[reads], place (&at)[reads], const element (&x)[reads],
                             const unsigned char* __restrict__ magnitudes, limb* totals, const int room)
{
    unsigned magnitude[reads];
    bool one[reads], any_special = false, any_one = false;
#pragma unroll
    for (int r = 0; r < reads; ++r) magnitude[r] = has_magnitudes && at[r] >= 0 ? magnitudes[at[r]] : 0u;
#pragma unroll
    for (int r = 0; r < reads; ++r) {
        made[r] = addend_of(x[r], magnitude[r], room);
        any_special |= magnitude[r] == special;
        one[r] = __all_sync(0xffffffffu, at[r] == __shfl_sync(0xffffffffu, at[r], 0));
        any_one |= one[r];
    }
    if (any_special)
#pragma unroll
        for (int r = 0; r < reads; ++r)
            if (magnitude[r] == special) {
                note_special(totals + at[r], x[r]);
                at[r] = -1;
            }
    if (any_one)
#pragma unroll
        for (int r = 0; r < reads; ++r) {
            if (!one[r] || at[r] < 0) continue;
            made[r] = sum_of_warp(made[r]);
            if ((threadIdx.x & 31u) != 0) at[r] = -1;
        }
}
)";

constexpr const char* whole_sums_text = R"(
// Sums in shared memory, in words: those of integers of 32 bits are the words.
constexpr int sum_words = 1;
constexpr unsigned first_word = 0;

__device__ void add_in_shared(unsigned* sums, int, const place (&slot)[reads], const limb (&x)[reads], limb*, int)
{
#pragma unroll
    for (int r = 0; r < reads; ++r)
        if (slot[r] >= 0) atomicAdd(sums + slot[r], x[r]);
}
__device__ limb sum_in_shared(const unsigned* sum, int) { return *sum; }
)";

constexpr const char* low_sums_text = R"(
// Sums in shared memory: a word has the lower half of a limb, and begins in the middle of its range. The few additions
// that leave the range add to the upper half in global memory.
constexpr int sum_words = 1;
constexpr unsigned first_word = 0x80000000u;

__device__ void add_in_shared(unsigned* sums, int, const place (&slot)[reads], const limb (&x)[reads], limb* totals,
                              const int copies)
{
    unsigned before[reads];
#pragma unroll
    for (int r = 0; r < reads; ++r) before[r] = slot[r] >= 0 ? atomicAdd(sums + slot[r], unsigned(x[r])) : 0u;
#pragma unroll
    for (int r = 0; r < reads; ++r) {
        const limb upper = (before[r] + x[r]) >> 32 << 32;
        if (slot[r] >= 0 && upper != 0) atomicAdd(&totals[slot[r] / copies], upper);
    }
}
__device__ limb sum_in_shared(const unsigned* sum, int) { return limb(*sum) - first_word; }
)";

constexpr const char* halved_sums_text = R"(
// Sums in shared memory, where atomics have 32 bits: the halves of a limb are apart, and the thread whose addition
// carries out of the lower half carries into the upper one.
constexpr int sum_words = 2;
constexpr unsigned first_word = 0;

__device__ void add_in_shared(unsigned* sums, const int apart, const place (&slot)[reads], const limb (&x)[reads],
                              limb*, int)
{
    unsigned before[reads];
#pragma unroll
    for (int r = 0; r < reads; ++r) before[r] = slot[r] >= 0 ? atomicAdd(sums + slot[r], unsigned(x[r])) : 0u;
#pragma unroll
    for (int r = 0; r < reads; ++r) {
        const bool carries = before[r] + unsigned(x[r]) < before[r];
        if (slot[r] >= 0) atomicAdd(sums + apart + slot[r], unsigned(x[r] >> 32) + unsigned(carries));
    }
}
__device__ limb sum_in_shared(const unsigned* sum, const int apart) { return *sum | limb(sum[apart]) << 32; }
)";

constexpr const char* add_text = R"(
// Block b has the places of part b % parts, `share` each. The blocks of a group read the same values, most of them from
// the cache. Few places have several sums each, for neighbouring lanes.
extern "C" __global__ void __launch_bounds__(threads, 1) add_at_indices(
    limb* __restrict__ totals, const unsigned char* __restrict__ magnitudes, const int* __restrict__ keys,
    const element* __restrict__ values, const long long total, const int count, const int extent,
    const long long inner, const long long places, const int room, const int parts, const int share, const int copies)
{
    extern __shared__ unsigned sums[];
    const int slots = share * copies, part = int(blockIdx.x) % parts, group = int(blockIdx.x) / parts;
    const place first = place(part) * share;
    const int here = places - first < share ? int(places - first) : share, copy = int(threadIdx.x) & (copies - 1);
    unsigned char* const own_magnitudes = reinterpret_cast<unsigned char*>(sums + slots * sum_words * limbs);
    for (int i = threadIdx.x; i < slots * sum_words * limbs; i += threads) sums[i] = first_word;
    if (has_magnitudes)
        for (int i = threadIdx.x; i < here; i += threads) own_magnitudes[i] = magnitudes[first + i];
    __syncthreads();
    for_each_batch(keys, values, total, count, extent, inner, group, int(gridDim.x) / parts,
                   [&](const place (&at)[reads], const element (&x)[reads]) {
                       place own[reads];
                       addend made[reads];
#pragma unroll
                       for (int r = 0; r < reads; ++r)
                           own[r] = index(at[r] - first) < index(here) ? at[r] - first : place(-1);
                       make_addends(made, own, x, own_magnitudes, totals + first, room);
#pragma unroll
                       for (int r = 0; r < reads; ++r) own[r] = own[r] >= 0 ? own[r] * copies + copy : own[r];
#pragma unroll
                       for (int i = 0; i < limbs; ++i) {
                           limb part_of[reads];
#pragma unroll
                           for (int r = 0; r < reads; ++r) part_of[r] = made[r].part[i];
                           add_in_shared(sums + i * sum_words * slots, slots, own, part_of, totals + first, copies);
                       }
                   });
    __syncthreads();
    for (int i = threadIdx.x; i < here; i += threads)
#pragma unroll
        for (int l = 0; l < limbs; ++l) {
            limb sum = 0;
            for (int c = 0; c < copies; ++c)
                sum += sum_in_shared(sums + i * copies + ((c + copy) & (copies - 1)) + l * sum_words * slots, slots);
            if (sum != 0) atomicAdd(&totals[l * places + first + i], sum);
        }
}
)";

constexpr const char* far_add_text = R"(
// Adds at `here` places from `first` on.
extern "C" __global__ void __launch_bounds__(threads, 2) add_at_far_indices(
    limb* __restrict__ totals, const unsigned char* __restrict__ magnitudes, const int* __restrict__ keys,
    const element* __restrict__ values, const long long total, const int count, const int extent,
    const long long inner, const long long places, const int room, const long long first, const long long here)
{
    for_each_batch(keys, values, total, count, extent, inner, blockIdx.x, gridDim.x,
                   [&](place (&at)[reads], const element (&x)[reads]) {
#pragma unroll
                       for (int r = 0; r < reads; ++r)
                           if (index(at[r] - place(first)) >= index(here)) at[r] = -1;
                       addend made[reads];
                       make_addends(made, at, x, magnitudes, totals, room);
#pragma unroll
                       for (int r = 0; r < reads; ++r)
#pragma unroll
                           for (int i = 0; i < limbs; ++i)
                               if (at[r] >= 0) atomicAdd(&totals[i * places + at[r]], made[r].part[i]);
                   });
}
)";

constexpr const char* finish_text = R"(
// A float and its sum are added as doubles, and rounded once.
extern "C" __global__ void __launch_bounds__(threads) finish_sums(
    element* __restrict__ to, const limb* __restrict__ totals, const unsigned char* __restrict__ magnitudes,
    const long long places, const int room)
{
    const long long at = blockIdx.x * (long long)threads + threadIdx.x;
    if (at >= places) return;
    const unsigned magnitude = magnitudes[at];
    if (magnitude == 0) return;  // x + -0.0 is x
    const limb first = totals[at];
    double sum;
    if (magnitude == special) {
        const double infinity = __longlong_as_double(0x7ff0000000000000ll);
        sum = first == 3 ? infinity - infinity : first == 2 ? -infinity : infinity;
    } else {
        // the bits that one double does not have go into the next one
        sum = double((long long)first);
        double rest = double((long long)first - (long long)sum);
        if (limbs > 1) rest += double((long long)totals[(limbs - 1) * places + at]) * power_of_two(-room);
        sum = scaled(sum + rest, -scale_of(magnitude, room));
    }
    to[at] = element(double(to[at]) + sum);
}
)";

constexpr const char* integer_finish_text = R"(
extern "C" __global__ void __launch_bounds__(threads) finish_sums(
    element* __restrict__ to, const limb* __restrict__ totals, const unsigned char*, const long long places, int)
{
    const long long at = blockIdx.x * (long long)threads + threadIdx.x;
    if (at < places) to[at] = element(to[at] + totals[at]);
}
)";

named_text text_of(const sum_source& s) {
    switch (s.which) {
        case sum_kernel::magnitudes: return {"find_magnitudes", magnitudes_text};
        case sum_kernel::far_magnitudes: return {"find_far_magnitudes", far_magnitudes_text};
        case sum_kernel::add: return {"add_at_indices", add_text};
        case sum_kernel::far_add: return {"add_at_far_indices", far_add_text};
        case sum_kernel::finish: break;
    }
    return {"finish_sums", has_magnitudes(s.type) ? finish_text : integer_finish_text};
}

/// Values that a thread has in flight, as many as its registers have room for.
int reads_of(const sum_source& s) {
    const bool far = s.which == sum_kernel::far_add || s.which == sum_kernel::far_magnitudes;
    if (far || s.layout != value_layout::line) return s.type == dtype::float64 ? 2 : 4;
    if (has_magnitudes(s.type)) return s.type == dtype::float64 ? 4 : 8;
    return size_of(s.type) == 8 ? 8 : 12;
}

/// Elements, sums, and the numbers of values and places, as far as the kernel uses them.
std::string types_text(const sum_source& s) {
    const bool floats = has_magnitudes(s.type), line = s.layout == value_layout::line;
    const bool finishes = s.which == sum_kernel::finish, adds = !finishes && !finds_magnitudes(s.which);
    const char* const element = cuda_name(floats ? s.type : detail::integer_of(size_of(s.type), false));
    const bool wide_limbs = floats || size_of(s.type) == 8, wide = s.layout == value_layout::wide;
    std::string text = fmt::format("typedef {} element;\nconstexpr int threads = {};\n", element, threads_of(s.which));
    if (!finds_magnitudes(s.which))
        text += fmt::format("typedef {} limb;\n", wide_limbs ? "unsigned long long" : "unsigned");
    if (adds || (finishes && floats))
        text += fmt::format("constexpr int limbs = {};\n", s.type == dtype::float64 ? 2 : 1);
    if (adds) text += fmt::format("constexpr bool has_magnitudes = {};\n", floats);
    if (!finishes)
        text += fmt::format(
            "typedef {} index;\ntypedef {} place;\nconstexpr int reads = {};\nconstexpr bool is_line = {};\n",
            wide ? "unsigned long long" : "unsigned", wide ? "long long" : "int", reads_of(s), line);
    return text;
}

/// How the type's values become integers, and how shared memory has their sums.
std::string addend_text(const sum_source& s) {
    std::string text = s.type == dtype::float64 ? double_addend_text
                       : has_magnitudes(s.type) ? float_addend_text
                                                : integer_addend_text;
    if (has_magnitudes(s.type)) text = special_text + text;
    text += batch_text;
    if (s.which == sum_kernel::add)
        text += s.type == dtype::float32 ? low_sums_text : size_of(s.type) == 8 ? halved_sums_text : whole_sums_text;
    return text;
}

}  // namespace

int bits_per_value(dtype type, std::int64_t count) {
    if (type == dtype::float32) return 28;
    return 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
}

const char* sum_kernel_name(sum_kernel which) { return text_of({which, dtype::float32, {}}).name; }

std::string sum_text(const sum_source& s) {
    std::string text = types_text(s);
    if (has_magnitudes(s.type)) {
        text += s.type == dtype::float64 ? double_bits_text : float_bits_text;
        text += magnitude_text;
    }
    if (s.which != sum_kernel::finish) text += place_text;
    if (finds_magnitudes(s.which))
        text += raise_text;
    else if (s.which != sum_kernel::finish)
        text += addend_text(s);
    return text + text_of(s).text;
}

}  // namespace sinter::codegen
