// Source of the kernels that sort rows.
#include <codegen/cuda/sort.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/block_scan.hpp>
#include <codegen/cuda/named_text.hpp>
#include <codegen/cuda/radix_sort.hpp>
#include <codegen/cuda/row_sort.hpp>
#include <codegen/cuda/search_tree.hpp>
#include <codegen/ir/sort_order.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr const char* order_text = R"(
// An element's bits; a complex number has two parts.
struct element { word part[parts]; };

__device__ word key_of_bits(const word bits)
{
    // a float's key takes fewer instructions as a number
    if (sizeof(word) == 4 && infinity != 0) return word(order_key<float>(__uint_as_float(unsigned(bits))));
    return sort_key<word>(bits, sign, infinity);
}

__device__ word key_of(const element& x, const int part) { return key_of_bits(x.part[part]); }

__device__ bool precedes(const element& x, const element& y)
{
    if (parts == 1) return key_of(x, 0) < key_of(y, 0);
    return pair_precedes<word>(key_of(x, 0), key_of(x, parts - 1), key_of(y, 0), key_of(y, parts - 1));
}

__device__ bool is_before(const element& x, const element& y) { return descending ? precedes(y, x) : precedes(x, y); }
)";

constexpr const char* tiles_text = R"(
constexpr unsigned none = 0xffffffffu;  // the position of what is no element

// Of a pair of elements, whether the one that was read later comes first in the order of (element, position). What
// stands for no element is last.
__device__ bool is_behind(const element& x, const unsigned from_x, const element& y, const unsigned from_y)
{
    if (from_x == none || from_y == none) return from_x > from_y;
    if (is_before(y, x)) return true;
    return !is_before(x, y) && from_x > from_y;
}

// A block sorts 1024 elements, in pieces of `span`, a power of two. The rows have `length` elements.
extern "C" __global__ void __launch_bounds__(256) sort_tiles(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const long long rows, const long long length, const long long span)
{
    __shared__ element held[1024];
    __shared__ unsigned from[1024];
    const int piece_length = int(span);
    const long long pieces_of_row = (length + span - 1) / span, first_piece = blockIdx.x * (1024 / span);
    for (int e = threadIdx.x; e < 1024; e += 256) {
        const long long piece = first_piece + e / piece_length, row = piece / pieces_of_row;
        const long long i = piece % pieces_of_row * span + e % piece_length;
        const bool inside = row < rows && i < length;
        held[e] = inside ? source[row * length + i] : element();
        from[e] = inside ? unsigned(i) : none;
    }
    for (int run = 2; run <= piece_length; run *= 2)
        for (int apart = run / 2; apart > 0; apart /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < 512; pair += 256) {
                const int low = 2 * pair - (pair & (apart - 1)), high = low + apart;
                const bool ascending = (low & (piece_length - 1) & run) == 0;
                const element x = held[low], y = held[high];
                const unsigned from_x = from[low], from_y = from[high];
                if (is_behind(x, from_x, y, from_y) == ascending) {
                    held[low] = y;
                    held[high] = x;
                    from[low] = from_y;
                    from[high] = from_x;
                }
            }
        }
    __syncthreads();
    for (int e = threadIdx.x; e < 1024; e += 256) {
        const long long piece = first_piece + e / piece_length, row = piece / pieces_of_row;
        const long long i = piece % pieces_of_row * span + e % piece_length;
        if (row >= rows || i >= length) continue;
        if (values) values[row * length + i] = held[e];
        if (indices) indices[row * length + i] = from[e];
    }
}
)";

constexpr const char* merge_text = R"(
// Rows of `length` elements consist of sorted runs of `width`, of which each two become one.
extern "C" __global__ void __launch_bounds__(256) merge_runs(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ from, const long long count, const long long length, const long long width)
{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= count) return;
    const long long i = id % length, begin = i / (2 * width) * (2 * width);
    const long long middle = begin + width < length ? begin + width : length;
    const long long end = middle + width < length ? middle + width : length;
    const element* const row = source + (id - i);
    const element x = row[i];
    const bool of_first = i < middle;
    const long long other = of_first ? middle : begin;
    long long low = other, high = of_first ? end : middle;
    while (low < high) {
        const long long half = low + (high - low) / 2;
        const bool comes_first = of_first ? is_before(row[half], x) : !is_before(x, row[half]);
        if (comes_first)
            low = half + 1;
        else
            high = half;
    }
    const long long to = id - i + begin + (i - (of_first ? begin : middle)) + (low - other);
    if (values) values[to] = x;
    if (indices) indices[to] = from[id];
}
)";

constexpr const char* search_text = R"(
// How many elements of `sorted` stand before each value; with `behind_equals` also those that equal it.
extern "C" __global__ void __launch_bounds__(256) search_sorted(
    index_type* __restrict__ places, const element* __restrict__ sorted, const element* __restrict__ values,
    const long long count, const long long length, const long long behind_equals)
{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= count) return;
    const element x = values[id];
    long long low = 0, high = length;
    while (low < high) {
        const long long half = low + (high - low) / 2;
        const bool stands_before = behind_equals ? !is_before(x, sorted[half]) : is_before(sorted[half], x);
        if (stands_before)
            low = half + 1;
        else
            high = half;
    }
    places[id] = low;
}
)";

constexpr const char* pick_text = R"(
// Of sorted rows, the elements at `count` ranks from `first` on.
extern "C" __global__ void __launch_bounds__(256) pick_ranks(
    element* __restrict__ values, index_type* __restrict__ indices, const element* __restrict__ source,
    const unsigned* __restrict__ from, const long long total, const long long length, const long long first,
    const long long count, const long long nan_spoils)
{
    const long long id = blockIdx.x * 256ll + threadIdx.x;
    if (id >= total) return;
    const long long row = id / count, at = row * length + first + id % count;
    const element last = source[row * length + (descending ? 0 : length - 1)];
    const bool is_nan = nan_spoils && infinity != 0 && key_of(last, 0) == word(~word(0));
    if (values) values[id] = is_nan ? last : source[at];
    if (indices) indices[id] = from[at];
}
)";

constexpr const char* computed_elements_text = R"(
// Elements that a function computes, as bits.
struct computed_elements {{
    {} of;
    __device__ element operator[](const long long at) const
    {{
        const auto x = of[at];
        return *reinterpret_cast<const element*>(&x);
    }}
}};
)";

named_text text_of(sort_kernel which) {
    switch (which) {
        case sort_kernel::tiles: return {"sort_tiles", tiles_text};
        case sort_kernel::merge: return {"merge_runs", merge_text};
        case sort_kernel::search: return {"search_sorted", search_text};
        case sort_kernel::search_tree: return {"search_by_tree", search_by_tree_text};
        case sort_kernel::pick: return {"pick_ranks", pick_text};
        case sort_kernel::short_rows: return {"sort_short_rows", short_row_text};
        case sort_kernel::row_values: return {"sort_row_values", row_network_text};
        case sort_kernel::rows: return {"sort_row", row_sort_text};
        case sort_kernel::select: return {"select_in_row", row_select_text};
        case sort_kernel::first: return {"select_first_of_row", row_first_text};
        case sort_kernel::count: return {"count_digits", radix_count_text};
        case sort_kernel::sums: return {"sum_digits", radix_sums_text};
        case sort_kernel::place: break;
    }
    return {"place_digits", radix_place_text};
}

const char* word_name(int bytes) {
    switch (bytes) {
        case 1: return "unsigned char";
        case 2: return "unsigned short";
        case 4: return "unsigned int";
        default: return "unsigned long long";
    }
}

}  // namespace

std::string sort_name(sort_kernel which) { return text_of(which).name; }

std::string sort_text(const sort_source& s, const sort_order& order, const printed_element* source) {
    std::string text = fmt::format(
        "typedef {} word;\ntypedef {} index_type;\nconstexpr int parts = {};\nconstexpr word sign = {}u, infinity = "
        "{}u;\n"
        "constexpr bool descending = {};\n",
        word_name(order.word_bytes), s.last ? "long long" : "unsigned", order.parts, order.sign, order.infinity,
        order.descending);
    if (s.which == sort_kernel::search_tree) text += tree_constants(s.items, s.is_whole);
    if (s.which >= sort_kernel::short_rows)
        text += fmt::format("constexpr int {} = {};\n", s.which == sort_kernel::row_values ? "index_bits" : "items",
                            s.items);
    if (s.which == sort_kernel::count) text += fmt::format("constexpr int counted_elements = {};\n", radix_counted);
    if (s.which == sort_kernel::place)
        text += fmt::format("typedef {} state_word;\nconstexpr bool tracked = {};\n",
                            s.wide_states ? "unsigned long long" : "unsigned", !s.values_only);
    if (s.which == sort_kernel::sums || s.which == sort_kernel::place) text += one_digit_text;
    text += order_text;
    if (source) text += fmt::format(computed_elements_text, source->type);
    if (s.which == sort_kernel::search_tree) text += search_tree_text;
    if (s.which == sort_kernel::short_rows)
        text += fmt::format("constexpr bool values_only = {};\n{}", s.values_only, ordered_key_text);
    if (s.which == sort_kernel::row_values || s.which == sort_kernel::select || s.which == sort_kernel::first)
        text += ordered_key_text;
    if (s.which == sort_kernel::short_rows || s.which == sort_kernel::row_values) text += register_sort_text;
    if (s.which >= sort_kernel::row_values) text += block_scan_text;
    if (s.which >= sort_kernel::rows) text += digit_rank_text;
    text += text_of(s.which).text;
    if (source)
        text =
            with_function(std::move(text), "const element* __restrict__ source,\n    ", *source, "computed_elements");
    return device_snippets(text) + text;
}

}  // namespace sinter::codegen
