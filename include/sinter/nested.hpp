// Nested lists and containers flattened to row-major elements.
#pragma once

#include <sinter/shape.hpp>

#include <iterator>
#include <vector>

namespace sinter::detail {

[[noreturn]] void throw_ragged(const std::int64_t* extents, int axis, std::int64_t found);

/// What a vector of T on the host holds: std::vector<bool> has no data().
template <class T>
using stored_t = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

template <class R>
concept host_range = requires(const R& r) {
    r.size();
    r.begin();
    r.end();
};

/// Elements one after the other in the host's memory.
template <class C>
concept host_container = requires(C& c) {
    c.size();
    requires element_type<std::remove_cvref_t<decltype(*c.data())>>;
};

/// The number of ranges that lie one inside the other in R, and the type of what the innermost holds.
template <class R>
struct nesting {
    static constexpr int depth = 0;
    using element = R;
};
template <host_range R>
struct nesting<R> {
    using inner = nesting<std::iter_value_t<decltype(std::declval<const R&>().begin())>>;
    static constexpr int depth = 1 + inner::depth;
    using element = typename inner::element;
};

/// Appends the elements from axis `Axis` on, row-major; the `first` lists set the extents, which later ones must have.
template <int Axis, int Rank, class T, class List>
void flatten(const List& list, shape<Rank>& extents, std::vector<stored_t<T>>& flat, bool first) {
    const auto n = static_cast<std::int64_t>(list.size());
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
