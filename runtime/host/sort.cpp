// Rows are divided among all cores, and so are the parts of a long row that have the same leading bits. Elements
// are sorted by radix (radix.hpp), complex numbers by one part after the other.
#include <runtime/host/sort.hpp>

#include <codegen/functions/sort.hpp>
#include <codegen/ir/round.hpp>
#include <runtime/host/pooled.hpp>
#include <runtime/host/radix.hpp>
#include <runtime/host/sort_order.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sinter::codegen {
namespace {

using ordered::element;
using ordered::indexed;

constexpr std::int64_t min_piece = 1 << 14;  ///< elements that are worth a task

/// Sorts one row on all cores: its pieces are distributed by a leading digit, and then the digit's values are sorted.
template <class T, class Key>
void sort_long_row(const radix::range<T>& r, const Key& key) {
    using word = decltype(key(r.from[0]));
    constexpr std::int64_t max_pieces = 32;
    const std::int64_t size = std::max(min_piece, divide_up(r.length, max_pieces)), pieces = divide_up(r.length, size);
    const auto length_of = [&](std::int64_t piece) { return std::min(size, r.length - piece * size); };
    word bits[max_pieces] = {};
    cancellable_loop(pieces, 1, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) {
            const T* const from = r.from + i * size;
            bits[i] = static_cast<word>(radix::differing_bits(from, length_of(i), key) | (key(*from) ^ key(*r.from)));
        }
    });
    word all = 0;
    for (const word b : bits) all |= b;
    const int width = static_cast<int>(std::bit_width(all));
    const radix::digit d = radix::leading_digit(width, r.length);
    const std::int64_t values = std::int64_t{1} << d.count;
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(pieces * values)),
        ends(static_cast<std::size_t>(values));
    const auto offsets_of = [&](std::int64_t piece) { return offsets.data() + piece * values; };
    cancellable_loop(pieces, 1, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) radix::count_digits(r.from + i * size, length_of(i), key, d, offsets_of(i));
    });
    std::int64_t sum = 0;
    for (std::int64_t value = 0; value < values; ++value) {
        for (std::int64_t i = 0; i < pieces; ++i) {
            const std::int64_t count = offsets_of(i)[value];
            offsets_of(i)[value] = sum;
            sum += count;
        }
        ends[static_cast<std::size_t>(value)] = sum;
    }
    T* const parts = radix::other(r, r.from);
    cancellable_loop(pieces, 1, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) radix::distribute(r.from + i * size, length_of(i), parts, key, d, offsets_of(i));
    });
    cancellable_loop(values, 1, [&](std::int64_t value, std::int64_t end) {
        for (; value < end; ++value) {
            const std::int64_t first = value == 0 ? 0 : ends[static_cast<std::size_t>(value - 1)];
            const std::int64_t length = ends[static_cast<std::size_t>(value)] - first;
            if (length > 0)
                radix::sort_range(radix::range<T>{parts + first, r.spare + first, r.to + first, length}, key);
        }
    });
}

/// Calls sort_row(row, memory, true) for each row if they are few and long, so that each is sorted on all cores;
/// else sort_row(row, memory, false) on all cores. The memory has `items` elements of T.
template <class T, class F>
void for_each_row(const sorted_rows& all, std::int64_t items, const F& sort_row) {
    constexpr std::int64_t few = 8;
    pooled<T> own(all.rows > 0 ? items : 0);
    if (all.rows < few && all.length >= 2 * min_piece) {
        for (std::int64_t row = 0; row < all.rows; ++row) sort_row(row, own.get(), true);
        return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, min_piece / std::max<std::int64_t>(1, all.length));
    cancellable_loop(
        all.rows, grain, own, [&](std::optional<pooled<T>>& mine) { mine.emplace(items); },
        [&](const pooled<T>& mine, std::int64_t row, std::int64_t end) {
            for (; row < end; ++row) sort_row(row, mine.get(), false);
        });
}

template <class T, class Key>
void sort_one(const radix::range<T>& r, bool on_all_cores, const Key& key) {
    on_all_cores ? sort_long_row(r, key) : radix::sort_range(r, key);
}

/// Replaces each element by its key, sorts the keys, and converts them back. Returns false, and leaves the result
/// undefined, if there are elements without a key of their own.
template <class W>
bool sort_own_keys(const W* from, W* spare, W* to, std::int64_t length, bool on_all_cores,
                   const ordered::floating_key<W>& key) {
    const std::int64_t grain = on_all_cores ? min_piece : length;
    std::atomic<bool> all_have{true};
    cancellable_loop(length, grain, [&](std::int64_t first, std::int64_t end) {
        unsigned have = 1;
        for (std::int64_t i = first; i < end; ++i) {
            have &= static_cast<unsigned>(key.has_own_key(from[i]));
            to[i] = key.own_key(from[i]);
        }
        if (have == 0) all_have.store(false, std::memory_order_relaxed);
    });
    if (!all_have) return false;
    sort_one(radix::range<W>{to, spare, to, length}, on_all_cores, [](W k) { return k; });
    cancellable_loop(length, grain, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) to[i] = key.from_key(to[i]);
    });
    return true;
}

template <class W, class Key>
void sort_values(const sorted_rows& all, const W* from, W* values, const Key& key) {
    for_each_row<W>(all, all.length, [&](std::int64_t row, W* spare, bool on_all_cores) {
        const W* const source = from + row * all.length;
        W* const to = values + row * all.length;
        if constexpr (std::is_same_v<Key, ordered::floating_key<W>>)
            if (sort_own_keys(source, spare, to, all.length, on_all_cores, key)) return;
        sort_one(radix::range<W>{source, spare, to, all.length}, on_all_cores, key);
    });
}

/// Sorts indices by one key after the other, the last of which decides first, and reads the values at the indices.
template <class T, class... Keys>
void sort_indices(const sorted_rows& all, const T* from, T* values, std::int64_t* indices, const Keys&... keys) {
    using item = indexed<std::common_type_t<decltype(keys(*from))...>>;
    for_each_row<item>(all, 2 * all.length, [&](std::int64_t row, item* items, bool on_all_cores) {
        const std::int64_t first = row * all.length;
        const T* const source = from + first;
        const auto for_each = [&](const auto& f) {
            cancellable_loop(all.length, on_all_cores ? min_piece : all.length, [&](std::int64_t i, std::int64_t end) {
                for (; i < end; ++i) f(i);
            });
        };
        const auto sort_by = [&](const auto& key) {
            for_each([&](std::int64_t i) { items[i].key = key(source[items[i].index]); });
            sort_one(radix::range<item>{items, items + all.length, items, all.length}, on_all_cores,
                     [](const item& x) { return x.key; });
        };
        for_each([&](std::int64_t i) { items[i].index = static_cast<std::uint32_t>(i); });
        (sort_by(keys), ...);
        for_each([&](std::int64_t i) {
            if (indices != nullptr) indices[first + i] = items[i].index;
            if (values != nullptr) values[first + i] = source[items[i].index];
        });
    });
}

}  // namespace

void sort_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const call_array& x = call.operands[0];
    const sorted_rows all = rows_of(x);
    const sort_order order = order_of(x.type, call.integers[0] != 0);
    auto* const indices = static_cast<std::int64_t*>(results[1]);
    ordered::for_order(order, [&]<class W, int Parts>() {
        using T = std::conditional_t<Parts == 1, W, element<W, Parts>>;
        const auto* const from = static_cast<const T*>(operands[0]);
        auto* const values = static_cast<T*>(results[0]);
        const auto sort_by = [&](const auto&... keys) { sort_indices(all, from, values, indices, keys...); };
        if constexpr (Parts == 2)
            return std::apply(sort_by, ordered::complex_keys<W>(order));
        else
            ordered::for_real_keys<W>(order, [&](const auto& keys) {
                if (indices != nullptr) return std::apply(sort_by, keys);
                sort_values(all, from, values, std::get<0>(keys));
            });
    });
}

}  // namespace sinter::codegen
