// Rows are divided among all cores, and so are pieces of a long row, which std::inplace_merge joins. std::stable_sort
// is the standard library's merge sort: it is stable and works without extra memory if there is none. oneTBB's
// parallel_sort is not stable, and Boost.Sort's parallel_stable_sort starts threads besides oneTBB's.
#include <runtime/host/sort.hpp>

#include <codegen/functions/sort.hpp>
#include <runtime/host/sort_order.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <vector>

namespace sinter::codegen {
namespace {

using ordered::comparison;
using ordered::element;
using ordered::for_order;

constexpr std::int64_t min_piece = 1 << 14;  ///< elements that are worth a task
constexpr std::int64_t pieces_of_row = 64;

/// Sorts one row on all cores: pieces first, then merges of neighbouring pairs.
template <class T, class Before>
void sort_long_row(T* row, std::int64_t length, const Before& before) {
    std::int64_t width = std::max(min_piece, divide_up(length, pieces_of_row));
    const auto end_of = [&](std::int64_t begin, std::int64_t size) { return std::min(length, begin + size); };
    cancellable_loop(divide_up(length, width), 1, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) std::stable_sort(row + i * width, row + end_of(i * width, width), before);
    });
    for (; width < length; width *= 2)
        cancellable_loop(divide_up(length, 2 * width), 1, [&](std::int64_t pair, std::int64_t end) {
            for (; pair < end; ++pair) {
                const std::int64_t begin = pair * 2 * width;
                std::inplace_merge(row + begin, row + end_of(begin, width), row + end_of(begin, 2 * width), before);
            }
        });
}

/// Calls sort_row(row) for each row, on all cores; one after another if they are few and long.
template <class F>
void for_each_row(const sorted_rows& all, const F& sort_row) {
    constexpr std::int64_t few = 8;
    const bool apart = all.rows >= few || all.length < 2 * min_piece;
    if (!apart) {
        for (std::int64_t row = 0; row < all.rows; ++row) sort_row(row, true);
        return;
    }
    cancellable_loop(all.rows, std::max<std::int64_t>(1, min_piece / all.length),
                     [&](std::int64_t row, std::int64_t end) {
                         for (; row < end; ++row) sort_row(row, false);
                     });
}

template <class T, class Before>
void sort_items(T* row, std::int64_t length, bool on_all_cores, const Before& before) {
    on_all_cores ? sort_long_row(row, length, before) : std::stable_sort(row, row + length, before);
}

template <class W, int Parts>
void sort_rows(const sorted_rows& all, const sort_order& order, const void* from, void* values, std::int64_t* indices) {
    using T = element<W, Parts>;
    const comparison<W, Parts> before(order);
    const T* const source = static_cast<const T*>(from);
    if (indices == nullptr) {
        T* const to = static_cast<T*>(values);
        return for_each_row(all, [&](std::int64_t row, bool on_all_cores) {
            std::copy_n(source + row * all.length, all.length, to + row * all.length);
            sort_items(to + row * all.length, all.length, on_all_cores, before);
        });
    }
    struct item {
        T value;
        std::uint32_t index;
    };
    std::vector<item> items(static_cast<std::size_t>(all.rows * all.length));
    for_each_row(all, [&](std::int64_t row, bool on_all_cores) {
        item* const mine = items.data() + row * all.length;
        const std::int64_t first = row * all.length;
        for (std::int64_t i = 0; i < all.length; ++i) mine[i] = {source[first + i], static_cast<std::uint32_t>(i)};
        sort_items(mine, all.length, on_all_cores,
                   [&](const item& x, const item& y) { return before(x.value, y.value); });
        for (std::int64_t i = 0; i < all.length; ++i) indices[first + i] = mine[i].index;
        if (values != nullptr)
            for (std::int64_t i = 0; i < all.length; ++i) static_cast<T*>(values)[first + i] = mine[i].value;
    });
}

}  // namespace

void sort_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const call_array& x = call.operands[0];
    const sorted_rows all = rows_of(x);
    const sort_order order = order_of(x.type, call.integers[0] != 0);
    auto* const indices = static_cast<std::int64_t*>(results[1]);
    for_order(order, [&]<class W, int Parts>() { sort_rows<W, Parts>(all, order, operands[0], results[0], indices); });
}

}  // namespace sinter::codegen
