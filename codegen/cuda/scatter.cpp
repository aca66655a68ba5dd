// Source of the kernels of at(x, indices). `lanes`: the number of elements along all axes except the indexed one; the
// last `inner` of them are contiguous.
#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/scatter.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

namespace {

constexpr const char* mark_text = R"(
extern "C" __global__ void __launch_bounds__(256) scatter_mark(
    int* __restrict__ last, const int* __restrict__ keys, const int count, const int extent)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count && keys[i] < extent) atomicMax(&last[keys[i]], i + 1);
}
)";

constexpr const char* write_text = R"(
extern "C" __global__ void __launch_bounds__(256) scatter_write(
    element* __restrict__ to, const int* __restrict__ last, const int* __restrict__ keys,
    const element* __restrict__ values, const int count, const int extent, const long long inner, const long long lanes)
{
    const long long id = blockIdx.x * 256ll + threadIdx.x, i = id / lanes, lane = id % lanes;
    if (i >= count) return;
    const int key = keys[i];
    if (key >= extent || last[key] != i + 1) return;
    const long long outer = lane / inner, across = lane % inner;
    to[(outer * extent + key) * inner + across] = values[(outer * count + i) * inner + across];
}
)";

constexpr const char* count_text = R"(
extern "C" __global__ void __launch_bounds__(256) scatter_count(
    unsigned* __restrict__ table, const int* __restrict__ keys, const int count, const int part, const int shift)
{
    __shared__ unsigned seen[256];
    seen[threadIdx.x] = 0;
    __syncthreads();
    const int begin = blockIdx.x * part, end = begin + part < count ? begin + part : count;
    for (int i = begin + threadIdx.x; i < end; i += 256) atomicAdd(&seen[keys[i] >> shift & 255], 1u);
    __syncthreads();
    table[threadIdx.x * gridDim.x + blockIdx.x] = seen[threadIdx.x];
}
)";

constexpr const char* scan_text = R"(
// One block: each count becomes the sum of those before it.
extern "C" __global__ void __launch_bounds__(1024) scatter_scan(unsigned* __restrict__ table, const int n)
{
    __shared__ unsigned sums[1024];
    const int mine = threadIdx.x, run = (n + 1023) / 1024, begin = mine * run, end = begin + run < n ? begin + run : n;
    unsigned sum = 0;
    for (int i = begin; i < end; ++i) sum += table[i];
    sums[mine] = sum;
    for (int step = 1; step < 1024; step *= 2) {
        __syncthreads();
        const unsigned before = mine >= step ? sums[mine - step] : 0u;
        __syncthreads();
        sums[mine] += before;
    }
    unsigned at = sums[mine] - sum;
    for (int i = begin; i < end; ++i) {
        const unsigned n_here = table[i];
        table[i] = at;
        at += n_here;
    }
}
)";

constexpr const char* place_text = R"(
// `numbers` are those that the keys had at first; null for their positions.
extern "C" __global__ void __launch_bounds__(256) scatter_place(
    int* __restrict__ sorted_keys, int* __restrict__ sorted_numbers, const int* __restrict__ keys,
    const int* __restrict__ numbers, const unsigned* __restrict__ table, const int count, const int part,
    const int shift)
{
    __shared__ unsigned next[256];
    __shared__ int digits[256];
    const int mine = threadIdx.x;
    next[mine] = table[mine * gridDim.x + blockIdx.x];
    const int begin = blockIdx.x * part, end = begin + part < count ? begin + part : count;
    for (int tile = begin; tile < end; tile += 256) {
        const int i = tile + mine;
        const bool inside = i < end;
        const int key = inside ? keys[i] : 0, digit = inside ? key >> shift & 255 : 256;
        digits[mine] = digit;
        __syncthreads();
        unsigned before = 0, same = 0;
        #pragma unroll 8
        for (int other = 0; other < 256; ++other) {
            const unsigned equal = digits[other] == digit;
            same += equal;
            before += other < mine ? equal : 0u;
        }
        const unsigned at = inside ? next[digit] + before : 0u;
        __syncthreads();
        if (inside) {
            sorted_keys[at] = key;
            sorted_numbers[at] = numbers ? numbers[i] : i;
            if (before + 1 == same) next[digit] = at + 1;
        }
    }
}
)";

constexpr const char* sums_text = R"(
// A thread adds up, for one lane, the values of equal keys in a run of 64 sorted positions. What goes on beyond an end
// of the run it leaves to others: in `heads` at the beginning, in `tails` at the end.
extern "C" __global__ void __launch_bounds__(256) scatter_sums(
    element* __restrict__ to, element* __restrict__ heads, element* __restrict__ tails, const int* __restrict__ keys,
    const int* __restrict__ numbers, const element* __restrict__ values, const int count, const int extent,
    const long long inner, const long long lanes)
{
    const long long id = blockIdx.x * 256ll + threadIdx.x, lane = id % lanes;
    const int begin = int(id / lanes) * 64;
    if (begin >= count) return;
    const int end = begin + 64 < count ? begin + 64 : count;
    const long long outer = lane / inner, across = lane % inner;
    bool from_before = begin > 0 && keys[begin - 1] == keys[begin], open = false;
    element sum = element(0);
    for (int p = begin; p < end; ++p) {
        const int key = keys[p];
        const element value = values[(outer * count + numbers[p]) * inner + across];
        sum = open ? element(sum + value) : value;
        open = true;
        const bool ends = p + 1 == count || keys[p + 1] != key;
        if (!ends && p + 1 < end) continue;
        if (key < extent) {
            element& here = to[(outer * extent + key) * inner + across];
            if (from_before)
                heads[id] = sum;
            else if (!ends)
                tails[id] = sum;
            else
                here = element(here + sum);
        }
        from_before = open = false;
    }
}
)";

constexpr const char* joins_text = R"(
// The thread in whose run equal keys begin that go on beyond it adds up what all runs have of them.
extern "C" __global__ void __launch_bounds__(256) scatter_joins(
    element* __restrict__ to, const element* __restrict__ heads, const element* __restrict__ tails,
    const int* __restrict__ keys, const int count, const int extent, const long long inner, const long long lanes)
{
    const long long id = blockIdx.x * 256ll + threadIdx.x, lane = id % lanes;
    const int begin = int(id / lanes) * 64;
    int end = begin + 64;
    if (end >= count) return;
    const int key = keys[end - 1];
    const bool from_before = keys[begin] == key && begin > 0 && keys[begin - 1] == key;
    if (keys[end] != key || from_before || key >= extent) return;
    element sum = tails[id];
    for (long long other = id + lanes; end < count && keys[end] == key; other += lanes) {
        sum = element(sum + heads[other]);
        end = end + 64 < count ? end + 64 : count;
        if (keys[end - 1] != key) break;
    }
    element& here = to[(lane / inner * extent + key) * inner + lane % inner];
    here = element(here + sum);
}
)";

/// A type that adds and moves like the dtype: unsigned integers wrap.
const char* element_name(dtype type) {
    if (type == dtype::complex64) return "complex<float>";
    if (type == dtype::complex128) return "complex<double>";
    return cuda_name(is_floating(type) && !is_storage_only(type) ? type : detail::integer_of(size_of(type), false));
}

}  // namespace

const char* scatter_entry(scatter_kernel which) {
    switch (which) {
        case scatter_kernel::mark: return "scatter_mark";
        case scatter_kernel::write: return "scatter_write";
        case scatter_kernel::count: return "scatter_count";
        case scatter_kernel::scan: return "scatter_scan";
        case scatter_kernel::place: return "scatter_place";
        case scatter_kernel::sums: return "scatter_sums";
        case scatter_kernel::joins: break;
    }
    return "scatter_joins";
}

std::string scatter_text(scatter_kernel which, dtype type) {
    const auto of_elements = [&](const char* text) {
        const std::string typed = fmt::format("\ntypedef {} element;\n{}", element_name(type), text);
        return device_snippets(typed) + typed;
    };
    switch (which) {
        case scatter_kernel::mark: return mark_text;
        case scatter_kernel::write: return of_elements(write_text);
        case scatter_kernel::count: return count_text;
        case scatter_kernel::scan: return scan_text;
        case scatter_kernel::place: return place_text;
        case scatter_kernel::sums: return of_elements(sums_text);
        case scatter_kernel::joins: break;
    }
    return of_elements(joins_text);
}

}  // namespace sinter::codegen
