// Nested lists and containers flattened to row-major elements.
#pragma once

#include <sinter/misuse.hpp>
#include <sinter/scalar.hpp>
#include <sinter/shape.hpp>

#include <iterator>
#include <limits>
#include <vector>

namespace sinter::detail {

[[noreturn]] void throw_ragged(const std::int64_t* extents, int axis, std::int64_t found);

/// The element type of a host vector of T: std::vector<bool> has no data().
template <class T>
using stored_t = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

[[noreturn]] void throw_number_does_not_fit(any_integer number, dtype type);

/// Whether S has integers that T cannot represent.
template <class T, class S>
constexpr bool holds_some_of() {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<S>)
        return any_integer(std::numeric_limits<S>::max()) > any_integer(std::numeric_limits<T>::max()) ||
               any_integer(std::numeric_limits<S>::min()) < any_integer(std::numeric_limits<T>::min());
    else
        return false;
}

/// Converts a number to an element as in assignment; throws for an integer that does not fit.
template <class T, class S>
constexpr T element_from(S number) {
    constexpr bool converts = assignable(dtype_of<T>, dtype_of<S>);
    static_assert(converts,
                  "sinter: a number does not convert to an element of a lower kind (bool < integer < floating < "
                  "complex): write T(number)");
    if constexpr (!converts) {
        return T();
    } else if constexpr (is_complex(dtype_of<T>) && !is_complex(dtype_of<S>)) {
        return T(static_cast<element_t<real_of(dtype_of<T>)>>(number));
    } else {
        if constexpr (holds_some_of<T, S>())
            if (any_integer(static_cast<T>(number)) != any_integer(number))
                throw_number_does_not_fit(number, dtype_of<T>);
        return static_cast<T>(number);
    }
}

/// An element in braces. As for C++ narrowing, an integer of a wider type must be a constant that fits.
template <class T>
struct listed {
    using part = element_t<real_of(dtype_of<T>)>;
    T value;

    template <element_type S>
        requires(!holds_some_of<T, S>())
    constexpr listed(S number) : value(element_from<T>(number)) {}
    template <element_type S>
        requires(holds_some_of<T, S>())
    consteval listed(S number) : value(element_from<T>(number)) {}
    template <int Sign>
    constexpr listed(signed_infinity<Sign> number) : value(element_from<T>(static_cast<double>(number))) {}
    /// A complex number as {re, im}: {{1, 2}, {3, 4}}.
    constexpr listed(part re, part im)
        requires(is_complex(dtype_of<T>))
        : value(re, im) {}
    template <class S>
        requires(!element_type<S> && requires { requires S::rank == 0; })
    listed(const S&) {
        static_assert(
            never<S>,
            "sinter: an array or expression does not convert to a C++ value: write item(e) for one of rank 0");
    }

    constexpr operator T() const { return value; }
};

/// The element type of braced lists: T itself if C++ converts to it as assignment does.
template <class T>
using listed_t = std::conditional_t<std::is_floating_point_v<T> || std::is_same_v<T, bool>, T, listed<T>>;

/// Containers, spans and C arrays.
template <class R>
concept host_range = requires(const R& r) {
    std::size(r);
    std::begin(r);
    std::end(r);
};

/// Contiguous elements in host memory.
template <class C>
concept host_container = requires(C& c) {
    c.size();
    requires element_type<std::remove_cvref_t<decltype(*c.data())>>;
};

/// The nesting depth of ranges in R, and the innermost element type.
template <class R>
struct nesting {
    static constexpr int depth = 0;
    using element = R;
};
template <host_range R>
struct nesting<R> {
    using inner = nesting<std::iter_value_t<decltype(std::begin(std::declval<const R&>()))>>;
    static constexpr int depth = 1 + inner::depth;
    using element = typename inner::element;
};

/// Appends the elements from axis `Axis` on, row-major. The `first` lists set the extents, which later ones must match.
template <int Axis, int Rank, class T, class List>
void flatten(const List& list, shape<Rank>& extents, std::vector<stored_t<T>>& flat, bool first) {
    const auto n = static_cast<std::int64_t>(std::size(list));
    if (first) extents.extent[Axis] = n;
    if (extents.extent[Axis] != n) throw_ragged(extents.extent, Axis, n);
    for (const auto& item : list) {
        if constexpr (Axis + 1 < Rank) {
            flatten<Axis + 1, Rank, T>(item, extents, flat, first);
            first = false;
        } else {
            flat.push_back(item);
        }
    }
}

}  // namespace sinter::detail
