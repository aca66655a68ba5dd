// Stable sorting by unsigned keys, on one core: radix passes over the leading bits of the keys that differ, and
// insertion for what these bits leave open.
//
// As many bits as tell most of n elements apart are about log2(n) + 6, so two or three passes sort doubles, too.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sinter::codegen::radix {

constexpr std::int64_t cached = 1 << 15;  ///< elements whose passes stay in the second-level cache
constexpr int max_digit = 11;             ///< bits of a pass: 2048 counters

/// A range of elements. The result is in `to`; `spare` is overwritten; `from` may be either of them.
template <class T>
struct range {
    const T* from;
    T* spare;
    T* to;
    std::int64_t length;

    range part(std::int64_t first, std::int64_t n) const { return {from + first, spare + first, to + first, n}; }
};

/// The bits in which any of the keys differ from the first one. `length` is at least 1.
template <class T, class Key>
auto differing_bits(const T* from, std::int64_t length, const Key& key) {
    const auto first = key(from[0]);
    auto bits = first;
    bits ^= first;
    for (std::int64_t i = 1; i < length; ++i) bits |= static_cast<decltype(bits)>(key(from[i]) ^ first);
    return bits;
}

/// The bits of the keys from `low` on, `count` of them.
struct digit {
    int low, count;

    template <class W>
    std::size_t of(W key) const {
        return static_cast<std::size_t>(key >> low) & ((std::size_t{1} << count) - 1);
    }
};

/// Stores elements in the order of a digit. `offsets`: for each of its values, where the first element goes.
template <class T, class Key, class Offset>
void distribute(const T* from, std::int64_t length, T* to, const Key& key, digit d, Offset* offsets) {
    for (std::int64_t i = 0; i < length; ++i) to[offsets[d.of(key(from[i]))]++] = from[i];
}

template <class T, class Key, class Offset>
void count_digits(const T* from, std::int64_t length, const Key& key, digit d, Offset* counts) {
    for (std::int64_t i = 0; i < length; ++i) ++counts[d.of(key(from[i]))];
}

/// Replaces counts by the sums of those before.
template <class Offset>
void counts_to_offsets(Offset* counts, std::size_t n) {
    Offset sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Offset count = counts[i];
        counts[i] = sum;
        sum = static_cast<Offset>(sum + count);
    }
}

/// The next array for a pass that reads `from`.
template <class T>
T* other(const range<T>& r, const T* from) {
    return from == r.spare ? r.to : r.spare;
}

template <class T, class Key>
void sort_range(const range<T>& r, const Key& key);

template <class T, class Key>
void insert_all(T* items, std::int64_t length, const Key& key) {
    for (std::int64_t i = 1; i < length; ++i) {
        const T item = items[i];
        const auto mine = key(item);
        std::int64_t at = i;
        for (; at > 0 && key(items[at - 1]) > mine; --at) items[at] = items[at - 1];
        items[at] = item;
    }
}

/// Sorts groups of elements whose keys agree from bit `low` on.
template <class T, class Key>
void sort_groups(const range<T>& r, const Key& key, int low) {
    constexpr std::int64_t few = 24;
    for (std::int64_t i = 1; i < r.length; ++i) {
        if (key(r.to[i - 1]) <= key(r.to[i])) continue;
        const auto group = key(r.to[i]) >> low;
        std::int64_t first = i - 1, end = i + 1;
        while (first > 0 && key(r.to[first - 1]) >> low == group) --first;
        while (end < r.length && key(r.to[end]) >> low == group) ++end;
        if (end - first <= few)
            insert_all(r.to + first, end - first, key);
        else
            sort_range(range<T>{r.to + first, r.spare + first, r.to + first, end - first}, key);
        i = end;
    }
}

/// Sorts by the leading `width` bits, in passes from the last digit to the first, and then the groups that are left.
template <class T, class Key>
void sort_by_passes(const range<T>& r, const Key& key, int width) {
    const int wanted = std::min(width, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(r.length))) + 6);
    const int widest = r.length < 4096 ? 9 : max_digit;
    const int passes = (wanted + widest - 1) / widest, size = (wanted + passes - 1) / passes;
    const int low = std::max(0, width - passes * size);
    const T* from = r.from;
    T* next = from == r.to || (from != r.spare && passes % 2 == 0) ? r.spare : r.to;
    std::uint32_t offsets[std::size_t{1} << max_digit];
    for (int pass = 0; pass < passes; ++pass) {
        const digit d{low + pass * size, std::min(size, width - low - pass * size)};
        const std::size_t values = std::size_t{1} << d.count;
        std::fill_n(offsets, values, 0u);
        count_digits(from, r.length, key, d, offsets);
        counts_to_offsets(offsets, values);
        distribute(from, r.length, next, key, d, offsets);
        from = next;
        next = other(r, from);
    }
    if (from != r.to) std::copy_n(from, r.length, r.to);
    if (low > 0) sort_groups(r, key, low);
}

/// The digit by which a long range is divided into ranges that the cache holds.
inline digit leading_digit(int width, std::int64_t length) {
    const int count = std::min(
        {width, max_digit, std::max(6, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length))) - 9)});
    return {width - count, count};
}

/// Sorts on one core.
template <class T, class Key>
void sort_range(const range<T>& r, const Key& key) {
    constexpr std::int64_t few = 48;
    if (r.length <= few) {
        if (r.from != r.to) std::copy_n(r.from, r.length, r.to);
        return insert_all(r.to, r.length, key);
    }
    const int width = static_cast<int>(std::bit_width(differing_bits(r.from, r.length, key)));
    if (width == 0) {
        if (r.from != r.to) std::copy_n(r.from, r.length, r.to);
        return;
    }
    if (r.length <= cached) return sort_by_passes(r, key, width);
    const digit d = leading_digit(width, r.length);
    std::int64_t offsets[(std::size_t{1} << max_digit)] = {};
    count_digits(r.from, r.length, key, d, offsets);
    counts_to_offsets(offsets, std::size_t{1} << d.count);
    T* const parts = other(r, r.from);
    distribute(r.from, r.length, parts, key, d, offsets);
    std::int64_t first = 0;
    for (std::size_t value = 0; value < std::size_t{1} << d.count; ++value) {  // offsets are now the ends
        if (offsets[value] > first)
            sort_range(range<T>{parts + first, r.spare + first, r.to + first, offsets[value] - first}, key);
        first = offsets[value];
    }
}

}  // namespace sinter::codegen::radix
