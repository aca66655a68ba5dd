// Selects elements at some ranks of rows: those whose leading bits the ranks have are sorted by radix. Rows are divided
// among all cores.
#include <codegen/functions/sort.hpp>
#include <runtime/host/pooled.hpp>
#include <runtime/host/radix.hpp>
#include <runtime/host/sort.hpp>
#include <runtime/host/sort_order.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <type_traits>

namespace sinter::codegen {
namespace {

using ordered::indexed;

/// The ranks that a call selects.
struct wanted_ranks {
    std::int64_t first, count;
    bool nan_spoils;
};

/// The elements whose leading digits are those of the wanted ranks, in their order.
template <class T>
struct candidates {
    T* items;
    std::int64_t count, before;  ///< `before`: how many elements of the row precede them
};

template <class T, class Key>
candidates<indexed<std::invoke_result_t<Key, T>>> find_candidates(const T* row, std::int64_t length,
                                                                  const wanted_ranks& wanted, const Key& key,
                                                                  indexed<std::invoke_result_t<Key, T>>* items) {
    const int width = static_cast<int>(std::bit_width(radix::differing_bits(row, length, key)));
    const int bits = std::min(width, length < 4096 ? 9 : radix::max_digit);
    const radix::digit d{width - bits, bits};
    std::int64_t counts[std::size_t{1} << radix::max_digit] = {};
    radix::count_digits(row, length, key, d, counts);
    std::size_t low = 0;
    std::int64_t before = 0;
    while (before + counts[low] <= wanted.first) before += counts[low++];
    std::size_t high = low;
    for (std::int64_t past = before + counts[low]; past < wanted.first + wanted.count; past += counts[high]) ++high;
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < length; ++i) {  // without a branch, which would often be mispredicted
        const auto k = key(row[i]);
        items[found] = {k, static_cast<std::uint32_t>(i)};
        found += d.of(k) - low <= high - low;
    }
    return {items, found, before};
}

/// Sorts by one key after the other: those of the wanted ranks alone if there is one key.
template <class T, class Item, class Key, class... Others>
const Item* sort_ranks(const T* row, std::int64_t length, const wanted_ranks& wanted, Item* items, const Key& key,
                       const Others&... others) {
    const auto by_key = [](const Item& x) { return x.key; };
    if constexpr (sizeof...(Others) == 0) {
        const candidates<Item> some = find_candidates(row, length, wanted, key, items);
        radix::sort_range(radix::range<Item>{items, items + length, items, some.count}, by_key);
        return items + (wanted.first - some.before);
    } else {
        for (std::int64_t i = 0; i < length; ++i) items[i].index = static_cast<std::uint32_t>(i);
        const auto sort_by = [&](const auto& one) {
            for (std::int64_t i = 0; i < length; ++i) items[i].key = one(row[items[i].index]);
            radix::sort_range(radix::range<Item>{items, items + length, items, length}, by_key);
        };
        sort_by(key);
        (sort_by(others), ...);
        return items + wanted.first;
    }
}

template <class W, class T, class... Keys>
void select_rows(const sorted_rows& all, const sort_order& order, const wanted_ranks& wanted, const T* from, T* values,
                 std::int64_t* indices, const Keys&... keys) {
    using item = indexed<W>;
    const auto is_nan = [key = ordered::floating_key<W>(order)](const T& x) {
        if constexpr (std::is_same_v<T, W>)
            return key.is_nan(x);
        else
            return key.is_nan(x.part[0]);
    };
    const auto select = [&](item* items, std::int64_t r) {
        const T* const source = from + r * all.length;
        const T* const end = source + all.length;
        const item* const found = sort_ranks(source, all.length, wanted, items, keys...);
        const T* const spoiled = wanted.nan_spoils && order.infinity != 0 ? std::find_if(source, end, is_nan) : end;
        for (std::int64_t i = 0; i < wanted.count; ++i) {
            const std::int64_t to = r * wanted.count + i;
            if (values != nullptr) values[to] = spoiled != end ? *spoiled : source[found[i].index];
            if (indices != nullptr) indices[to] = found[i].index;
        }
    };
    if (wanted.count == 0 || all.rows == 0) return;
    constexpr std::int64_t enough = 1 << 12;  // elements that are worth a task
    pooled<item> own(2 * all.length);
    cancellable_loop(
        all.rows, std::max<std::int64_t>(1, enough / all.length), own,
        [&](std::optional<pooled<item>>& mine) { mine.emplace(2 * all.length); },
        [&](const pooled<item>& memory, std::int64_t r, std::int64_t end) {
            for (; r < end; ++r) select(memory.get(), r);
        });
}

}  // namespace

void select_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const call_array& x = call.operands[0];
    const sort_order order = order_of(x.type, call.integers[0] != 0);
    const wanted_ranks wanted{call.integers[1], call.integers[2], call.integers[3] != 0};
    const sorted_rows all = rows_of(x);
    ordered::for_order(order, [&]<class W, int Parts>() {
        using T = std::conditional_t<Parts == 1, W, ordered::element<W, Parts>>;
        const auto select_by = [&](const auto&... keys) {
            select_rows<W>(all, order, wanted, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]),
                           static_cast<std::int64_t*>(results[1]), keys...);
        };
        if constexpr (Parts == 2)
            std::apply(select_by, ordered::complex_keys<W>(order));
        else
            ordered::for_real_keys<W>(order, [&](const auto& keys) { std::apply(select_by, keys); });
    });
}

}  // namespace sinter::codegen
