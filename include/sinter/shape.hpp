// Shapes: the extents of an array, one per axis, and broadcasting.
#pragma once

#include <sinter/called_as.hpp>
#include <sinter/ir/node.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sinter {

/// The maximum rank of arrays and expressions.
inline constexpr int max_rank = ir::max_rank;

namespace detail {

/// Holds every integer, so that braces may mix types: {n, 4}. Not a class: its conversion would be ambiguous with those
/// from braces to a shape or an array.
__extension__ typedef __int128 any_integer;

/// A C++ integer type other than bool.
template <class I>
concept integer = std::integral<I> && !std::same_as<I, bool>;

/// Integers in braces, one per axis.
template <int N>
using braced = any_integer[N];

inline constexpr std::int64_t max_int64 = 0x7fffffffffffffff;

/// An integer of any type as an extent, index or count. Values beyond 63 bits saturate: no axis has that extent, so
/// they are rejected where they are used instead of wrapping around to a valid value.
constexpr std::int64_t as_int64(any_integer n) {
    return n > max_int64 ? max_int64 : n < -max_int64 ? -max_int64 : static_cast<std::int64_t>(n);
}

/// The product of extents and of `unit` (the bytes of an element, or 1). Negative if an extent is, or if the product of
/// the nonzero ones is 2^63 - 1 or more: strides are products of extents even if there are no elements. Unchecked
/// extents are multiplied only here.
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

/// As above, but throws, naming the function.
constexpr std::int64_t checked_size(const char* function, const std::int64_t* extents, int rank,
                                    std::int64_t unit = 1) {
    const std::int64_t product = product_of(extents, rank, unit);
    if (product < 0) throw_bad_extents(function, extents, rank, unit);
    return product;
}

/// The sum of two extents; throws on overflow.
constexpr std::int64_t checked_sum(const char* function, std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw_bad_sum(function, a, b);
    return sum;
}

/// A compile-time integer constant such as 2_c.
template <class I>
concept known_index = requires {
    { I::value } -> std::convertible_to<any_integer>;
};

[[noreturn]] void throw_axis_out_of_range(std::int64_t axis, int rank);

/// An axis number, with negative axes counted from the end.
constexpr int axis_from_end(any_integer axis, int rank) {
    if (axis < -rank || axis >= rank) {
        constexpr any_integer most = 0x7fffffffffffffff;
        throw_axis_out_of_range(static_cast<std::int64_t>(axis > most ? most : axis), rank);
    }
    return static_cast<int>(axis < 0 ? axis + rank : axis);
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

    /// The extent of an axis; negative axes count from the end. Throws for an invalid axis; an invalid constant, such
    /// as 2_c, does not compile. Internal loops read `extent`, which is unchecked.
    template <class I>
    constexpr std::int64_t operator[](I axis) const {
        return extent[number_of(axis)];
    }
    template <class I>
    constexpr std::int64_t& operator[](I axis) {
        return extent[number_of(axis)];
    }
    // structured bindings: auto [rows, columns] = x.shape()
    template <std::size_t Axis>
    constexpr std::int64_t& get() & {
        return extent[Axis];
    }
    template <std::size_t Axis>
    constexpr const std::int64_t& get() const& {
        return extent[Axis];
    }
    template <std::size_t Axis>
    constexpr std::int64_t get() && {
        return extent[Axis];
    }
    constexpr const std::int64_t* begin() const { return extent; }
    constexpr const std::int64_t* end() const { return extent + Rank; }
    static constexpr int rank() { return Rank; }

    /// The number of elements. Throws if it exceeds 63 bits.
    constexpr std::int64_t size() const { return detail::checked_size("size", extent, Rank); }

    friend constexpr bool operator==(const shape& a, const shape& b) {
        for (int i = 0; i < Rank; ++i)
            if (a.extent[i] != b.extent[i]) return false;
        return true;
    }

private:
    template <class I>
    static constexpr int number_of(I axis) {
        constexpr bool is_index = std::is_convertible_v<I, detail::any_integer> && !std::is_floating_point_v<I>;
        static_assert(is_index, "sinter: a shape is indexed by an integer: x.shape()[0], x.shape()[-1]");
        if constexpr (detail::known_index<I>) {
            constexpr bool in_range = I::value >= -Rank && I::value < Rank;
            static_assert(in_range, "sinter: the axis is out of range: the axes of a shape of rank r are -r to r-1");
            return in_range ? static_cast<int>(I::value < 0 ? I::value + Rank : I::value) : 0;
        } else if constexpr (is_index) {
            return detail::axis_from_end(axis, Rank);
        } else {
            return 0;
        }
    }
};

template <std::integral... I>
shape(I...) -> shape<static_cast<int>(sizeof...(I))>;

namespace detail {

[[noreturn]] void throw_no_broadcast(const char* op, const std::int64_t* a, int rank_a, const std::int64_t* b,
                                     int rank_b);

/// Broadcasts `into` with `from`, aligned at the last axis as in NumPy; `op` names the function in errors.
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

template <int Rank>
struct std::tuple_size<sinter::shape<Rank>> : std::integral_constant<std::size_t, Rank> {};
template <std::size_t Axis, int Rank>
struct std::tuple_element<Axis, sinter::shape<Rank>> {
    using type = std::int64_t;
};
