// Shapes: the extents of an array, one an axis, and how two of them broadcast.
#pragma once

#include <sinter/ir/node.hpp>

#include <concepts>
#include <cstdint>

namespace sinter {

/// The most axes that an array or an expression can have.
inline constexpr int max_rank = ir::max_rank;

namespace detail {

/// Holds every integer, so that braces may mix their types: {n, 4}. No class, whose conversion would be no better than
/// those from braces to a shape or an array.
__extension__ typedef __int128 any_integer;

/// An integer of C++, which a truth is not.
template <class I>
concept integer = std::integral<I> && !std::same_as<I, bool>;

/// Integers in braces, one an axis.
template <int N>
using braced = any_integer[N];

inline constexpr std::int64_t max_int64 = 0x7fffffffffffffff;

/// An integer of any type as an extent, an index or a count. What 63 bits do not hold becomes the largest or smallest
/// number, which no axis has: it is refused where it is used, and never wraps around to one that is there.
constexpr std::int64_t as_int64(any_integer n) {
    return n > max_int64 ? max_int64 : n < -max_int64 ? -max_int64 : static_cast<std::int64_t>(n);
}

/// The product of extents and of `unit`, the bytes of an element or 1. Negative where an extent is, or where the
/// product of those that are not 0 is 2^63 - 1 or more: strides are products of them, too, also where there are no
/// elements. Extents that nothing has checked yet are multiplied here alone.
constexpr std::int64_t product_of(const std::int64_t* extents, int rank, std::int64_t unit = 1) {
    std::int64_t product = unit;
    bool empty = false, fits = true;
    for (int a = 0; a < rank; ++a) {
        empty = empty || extents[a] == 0;
        fits = fits && extents[a] >= 0 && !__builtin_mul_overflow(product, extents[a] == 0 ? 1 : extents[a], &product);
    }
    return !fits || product == max_int64 ? -1 : empty ? 0 : product;
}

[[noreturn]] void throw_bad_extents(const char* function, const std::int64_t* extents, int rank, std::int64_t unit);
[[noreturn]] void throw_bad_sum(const char* function, std::int64_t a, std::int64_t b);

/// The same; throws instead, naming the function.
constexpr std::int64_t checked_size(const char* function, const std::int64_t* extents, int rank,
                                    std::int64_t unit = 1) {
    const std::int64_t product = product_of(extents, rank, unit);
    if (product < 0) throw_bad_extents(function, extents, rank, unit);
    return product;
}

/// The sum of extents.
constexpr std::int64_t checked_sum(const char* function, std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw_bad_sum(function, a, b);
    return sum;
}

}  // namespace detail

/// The extents of an array of static rank, slowest axis first.
template <int Rank>
struct shape {
    static_assert(Rank >= 0 && Rank <= max_rank, "sinter: an array has at most 8 axes");

    std::int64_t extent[Rank > 0 ? Rank : 1] = {};

    constexpr shape() = default;
    template <std::integral... I>
        requires(sizeof...(I) == Rank && Rank > 0)
    constexpr shape(I... extents) : extent{detail::as_int64(extents)...} {}
    template <class I>
        requires(Rank > 0 && (std::integral<I> || std::same_as<I, detail::any_integer>))
    constexpr shape(const I (&extents)[static_cast<unsigned>(Rank > 0 ? Rank : 1)]) {
        for (int a = 0; a < Rank; ++a) extent[a] = detail::as_int64(extents[a]);
    }

    constexpr std::int64_t operator[](int a) const { return extent[a]; }
    constexpr std::int64_t& operator[](int a) { return extent[a]; }
    constexpr const std::int64_t* begin() const { return extent; }
    constexpr const std::int64_t* end() const { return extent + Rank; }
    static constexpr int rank() { return Rank; }

    /// The number of elements. Throws where 63 bits do not count them.
    constexpr std::int64_t size() const { return detail::checked_size("size", extent, Rank); }

    friend constexpr bool operator==(const shape& a, const shape& b) {
        for (int i = 0; i < Rank; ++i)
            if (a.extent[i] != b.extent[i]) return false;
        return true;
    }
};

namespace detail {

[[noreturn]] void throw_no_broadcast(const char* op, const std::int64_t* a, int rank_a, const std::int64_t* b,
                                     int rank_b);

/// `into` becomes the broadcast of itself and `from`, aligned at the last axis as in NumPy; `op` names the culprit.
template <int Into, int From>
constexpr void broadcast(const char* op, shape<Into>& into, const shape<From>& from) {
    static_assert(From <= Into);
    for (int a = 0; a < From; ++a) {
        std::int64_t& extent = into.extent[Into - From + a];
        const std::int64_t other = from.extent[a];
        if (extent == 1)
            extent = other;
        else if (other != 1 && other != extent)
            throw_no_broadcast(op, into.extent, Into, from.extent, From);
    }
}

}  // namespace detail
}  // namespace sinter
