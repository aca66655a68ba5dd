// What arrays and expressions are not: a number, a C++ range, a pointer. Who takes them for one is told in one line
// what to write instead.
#pragma once

#include <cstddef>
#include <type_traits>

namespace sinter::detail {

template <class...>
inline constexpr bool never = false;

/// Says what is written to, where somebody writes to what is computed.
template <class V>
constexpr void refuse_write() {
    static_assert(
        never<V>,
        "sinter: an expression has no elements to write to; an array has, and a view where it is made: x(0) = "
        "y, transpose(x) = y; at(x, i) = y for an array i of indices; x = where(m, y, x) for a mask m");
}

// The operators that update what stands on their left: calls X for each.
#define SINTER_DETAIL_UPDATE_SYMBOLS(X) X(+) X(-) X(*) X(/) X(%) X(&) X(|) X(^) X(<<) X(>>)

/// Stands for a target that was refused, so that nothing more is said of it.
struct refused {
    template <class E>
    void operator=(const E&) const {}
#define SINTER_DETAIL_NO_UPDATE(symbol) \
    template <class E>                  \
    void operator symbol##=(const E&) const {}
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_NO_UPDATE)
#undef SINTER_DETAIL_NO_UPDATE
};

/// What a call gives that does not compile: it becomes anything, so that the call's message is the only one.
struct nothing {
    template <class T>
    operator T() const;
};

/// How a function is called, to who calls it otherwise: the last resort of overload resolution, so that no function of
/// that name is worse off, whatever it takes.
#define SINTER_DETAIL_USAGE(function, usage)                                                      \
    template <class... T>                                                                         \
    ::sinter::detail::nothing function(...) {                                                     \
        static_assert(::sinter::detail::never<T...>,                                              \
                      "sinter: " #function " is written " usage                                   \
                      ", of arrays and expressions; from_host(v) makes an array of a container"); \
        return {};                                                                                \
    }

/// What `<<` writes to rather than shifts.
template <class S>
concept text_stream = requires(std::remove_reference_t<S>& s) { s.rdbuf(); };

/// A base of arrays and expressions that holds nothing. Each member only says why it must not be used.
template <int Rank>
struct no_container {
    no_container() = default;
    /// Not trivial, so that compilers refuse to pass it through `...`, as printf would have it.
    constexpr no_container(const no_container&) noexcept {}
    no_container& operator=(const no_container&) = default;

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
#define SINTER_DETAIL_NO_UPDATE(symbol)       \
    template <class V>                        \
    void operator symbol##=(const V&) const { \
        refuse_write<V>();                    \
    }
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_NO_UPDATE)
#undef SINTER_DETAIL_NO_UPDATE
};

template <int Rank>
void is_no_container(const no_container<Rank>&);
template <class T>
concept no_number = requires(const T& t) { is_no_container(t); };

// C's functions that print take anything through `...`, and some compilers let them. These are found by the namespaces
// of the arguments.
#define SINTER_DETAIL_PRINTS(function, ...)                                                                          \
    template <class... A>                                                                                            \
        requires(no_number<A> || ...)                                                                                \
    int function(__VA_ARGS__, const A&...) {                                                                         \
        static_assert(never<A...>,                                                                                   \
                      "sinter: an array or expression is no C++ value: " #function                                   \
                      " takes item(e), that of rank 0; what prints whole arrays is std::cout << x or to_string(x)"); \
        return 0;                                                                                                    \
    }
SINTER_DETAIL_PRINTS(printf, const char*)
SINTER_DETAIL_PRINTS(sprintf, char*, const char*)
SINTER_DETAIL_PRINTS(snprintf, char*, std::size_t, const char*)
SINTER_DETAIL_PRINTS(fprintf, auto*, const char*)
#undef SINTER_DETAIL_PRINTS

}  // namespace sinter::detail
