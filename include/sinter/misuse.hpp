// What arrays and expressions are not: a number, a C++ range, a pointer. Who takes them for one is told in one line
// what to write instead.
#pragma once

#include <type_traits>

namespace sinter::detail {

template <class...>
inline constexpr bool never = false;

// The operators that update what stands on their left: calls X for each.
#define SINTER_DETAIL_UPDATE_SYMBOLS(X) X(+) X(-) X(*) X(/) X(%) X(&) X(|) X(^) X(<<) X(>>)

/// What `<<` writes to rather than shifts.
template <class S>
concept text_stream = requires(std::remove_reference_t<S>& s) { s.rdbuf(); };

/// A base of arrays and expressions that holds nothing. Each member only says why it must not be used.
template <int Rank>
struct no_container {
    /// Implicit for rank 0 alone: else array<double, 1> y{x} would take x for a number of the list.
    template <class T>
        requires std::is_arithmetic_v<T>
    explicit(Rank != 0) operator T() const {
        static_assert(
            never<T>,
            "sinter: an array or expression is no C++ value: item(e) gives that of rank 0, as item(sum(x)) and "
            "item(all(x == y)) do; where(c, a, b) chooses element for element");
        return T();
    }
    template <class I>
    int operator[](const I&) const {
        static_assert(never<I>, "sinter: index with parentheses: x(i, j), x(all, range(1, end))");
        return 0;
    }
    template <class T = void>
    const int* begin() const {
        static_assert(never<T>, "sinter: the elements may be on a device: loop over x.host_view() or to_host(e)");
        return nullptr;
    }
    const int* end() const { return nullptr; }
};

}  // namespace sinter::detail
