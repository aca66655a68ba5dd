// Selects elements at some ranks of rows. Rows are divided among all cores; std::nth_element and std::partial_sort
// compare elements and, if these are equal, their original positions.
#include <codegen/functions/sort.hpp>
#include <runtime/host/sort.hpp>
#include <runtime/host/sort_order.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <vector>

namespace sinter::codegen {
namespace {

/// The ranks that a call selects.
struct wanted_ranks {
    std::int64_t first, count;
    bool nan_spoils;
};

template <class W, int Parts>
void select_rows(const sorted_rows& all, const sort_order& order, const wanted_ranks& wanted, const void* from,
                 void* values, std::int64_t* indices) {
    using T = ordered::element<W, Parts>;
    struct item {
        T value;
        std::uint32_t index;
    };
    using items = std::vector<item>;
    const ordered::comparison<W, Parts> before(order);
    const auto is_before = [&](const item& x, const item& y) {
        return before(x.value, y.value) || (!before(y.value, x.value) && x.index < y.index);
    };
    const auto is_nan = [&](const T& x) {
        return order.infinity != 0 && sinter::detail::number::sort_key<W>(x.part[0], static_cast<W>(order.sign),
                                                                          static_cast<W>(order.infinity)) == W(~W(0));
    };
    const auto select = [&](items& row, std::int64_t r) {
        const T* const source = static_cast<const T*>(from) + r * all.length;
        for (std::int64_t i = 0; i < all.length; ++i)
            row[static_cast<std::size_t>(i)] = {source[i], static_cast<std::uint32_t>(i)};
        const auto first = row.begin() + wanted.first, end = first + wanted.count;
        if (wanted.first > 0 && wanted.count > 0) std::nth_element(row.begin(), first, row.end(), is_before);
        std::partial_sort(first, end, row.end(), is_before);
        const T* spoiled = wanted.nan_spoils ? std::find_if(source, source + all.length, is_nan) : source + all.length;
        for (std::int64_t i = 0; i < wanted.count; ++i) {
            const item& found = first[i];
            const std::int64_t to = r * wanted.count + i;
            if (values != nullptr)
                static_cast<T*>(values)[to] = spoiled != source + all.length ? *spoiled : found.value;
            if (indices != nullptr) indices[to] = found.index;
        }
    };
    constexpr std::int64_t enough = 1 << 12;  // elements that are worth a task
    items own(static_cast<std::size_t>(all.length));
    cancellable_loop(
        all.rows, std::max<std::int64_t>(1, enough / std::max<std::int64_t>(1, all.length)), own,
        [&](std::optional<items>& mine) { mine.emplace(own.size()); },
        [&](items& row, std::int64_t r, std::int64_t end) {
            for (; r < end; ++r) select(row, r);
        });
}

}  // namespace

void select_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const call_array& x = call.operands[0];
    const sort_order order = order_of(x.type, call.integers[0] != 0);
    const wanted_ranks wanted{call.integers[1], call.integers[2], call.integers[3] != 0};
    ordered::for_order(order, [&]<class W, int Parts>() {
        select_rows<W, Parts>(rows_of(x), order, wanted, operands[0], results[0],
                              static_cast<std::int64_t*>(results[1]));
    });
}

}  // namespace sinter::codegen
