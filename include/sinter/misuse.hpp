// One-line errors for misuse of arrays and expressions as numbers, C++ ranges or pointers. They say what to write
// instead.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace sinter::detail {

template <class...>
inline constexpr bool never = false;

/// The error for writing to a computed value.
template <class V>
constexpr void refuse_write() {
    static_assert(
        never<V>,
        "sinter: an expression has no elements to write to: assign to an array, or to a view of one, as in x(0) = y or "
        "transpose(x) = y; for an array i of indices write at(x, i) = y, for a mask m x = where(m, y, x)");
}

// Calls X for each operator with an updating assignment (+= etc.).
#define SINTER_DETAIL_UPDATE_SYMBOLS(X) X(+) X(-) X(*) X(/) X(%) X(&) X(|) X(^) X(<<) X(>>)

/// Replaces a rejected assignment target, to suppress follow-up errors.
struct refused {
    template <class E>
    void operator=(const E&) const {}
#define SINTER_DETAIL_NO_UPDATE(symbol) \
    template <class E>                  \
    void operator symbol##=(const E&) const {}
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_NO_UPDATE)
#undef SINTER_DETAIL_NO_UPDATE
};

/// The result of a call that does not compile. Converts to anything, to suppress follow-up errors.
struct nothing {
    template <class T>
    operator T() const;
};

/// A braced list of values, as in dot({1, 2}, x), and nothing else. The conversion to it ranks below those to what
/// functions take in braces, such as extents.
struct braces {
    /// A value of the list, or any argument.
    struct value {
        template <class V>
        value(const V&);
        value(std::initializer_list<value>);
    };
    braces(std::initializer_list<value>);
};

template <int Rank>
struct no_container;

// C's `...` takes no braces. The conversions of these arguments rank below those to the parameters of a function that
// takes the braces; no_container is the base class of operands.
#define SINTER_DETAIL_USAGE_OF_BRACES_FIRST(function)                                                                \
    template <class... T>                                                                                            \
    ::sinter::detail::nothing function(const ::sinter::detail::braces&, const ::sinter::detail::braces::value& = {}, \
                                       const ::sinter::detail::braces::value& = {}) {                                \
        return function<T..., void>();                                                                               \
    }
#define SINTER_DETAIL_USAGE_OF_BRACES(function)                                                                   \
    SINTER_DETAIL_USAGE_OF_BRACES_FIRST(function)                                                                 \
    template <class... T, int R>                                                                                  \
    ::sinter::detail::nothing function(const ::sinter::detail::no_container<R>&, const ::sinter::detail::braces&, \
                                       const ::sinter::detail::braces::value& = {}) {                             \
        return function<T..., void>();                                                                            \
    }                                                                                                             \
    template <class... T, int R, class V>                                                                         \
    ::sinter::detail::nothing function(const ::sinter::detail::no_container<R>&, const V&,                        \
                                       const ::sinter::detail::braces&) {                                         \
        return function<T..., void>();                                                                            \
    }

/// Explains how to call a function when no other overload matches. The C-style ellipsis ranks last in overload
/// resolution, so other functions of that name are not affected.
#define SINTER_DETAIL_USAGE(function, usage)                                                                    \
    template <class... T>                                                                                       \
    ::sinter::detail::nothing function(...) {                                                                   \
        static_assert(::sinter::detail::never<T...>,                                                            \
                      "sinter: " #function " does not take these arguments: write " usage                       \
                      ", of arrays and expressions; from_host(v) makes an array from a container, array{1, 2} " \
                      "from values");                                                                           \
        return {};                                                                                              \
    }                                                                                                           \
    SINTER_DETAIL_USAGE_OF_BRACES(function)
/// The same for a function of numbers. Neither calls the other: compilers print a note for each macro.
#define SINTER_DETAIL_USAGE_OF_NUMBERS(function, usage)                                     \
    template <class... T>                                                                   \
    ::sinter::detail::nothing function(...) {                                               \
        static_assert(::sinter::detail::never<T...>,                                        \
                      "sinter: " #function " does not take these arguments: write " usage); \
        return {};                                                                          \
    }                                                                                       \
    SINTER_DETAIL_USAGE_OF_BRACES_FIRST(function)
/// The same for a function whose element type and rank are template arguments.
#define SINTER_DETAIL_USAGE_OF_LOADS(function, usage)                                       \
    template <class T = void, int R = 0>                                                    \
    ::sinter::detail::nothing function(...) {                                               \
        static_assert(::sinter::detail::never<T>,                                           \
                      "sinter: " #function " does not take these arguments: write " usage); \
        return {};                                                                          \
    }

/// Streams, for which `<<` means output rather than a shift.
template <class S>
concept text_stream = requires(std::remove_reference_t<S>& s) { s.rdbuf(); };

/// An empty base of arrays and expressions. Each member only reports why it must not be used.
template <int Rank>
struct no_container {
    no_container() = default;
    /// Non-trivial, so that compilers refuse to pass it through `...`, as for printf.
    constexpr no_container(const no_container&) noexcept {}
    no_container& operator=(const no_container&) = default;

    /// Implicit only for rank 0: otherwise array<double, 1> y{x} would treat x as a list element.
    template <class T>
        requires std::is_arithmetic_v<T>
    explicit(Rank != 0) operator T() const {
        static_assert(never<T>,
                      "sinter: an array or expression does not convert to a C++ value: write item(e) for one of rank "
                      "0, as in item(sum(x)) or item(all(x == y)); where(c, a, b) selects element by element");
        return T();
    }
    template <class... None>
    nothing operator()(const braces&, const braces::value& = {}) const {
        static_assert(never<None...>,
                      "sinter: an index is an integer, range(...), all or newaxis; several positions are an array of "
                      "integers: x(array{0, 2})");
        return {};
    }
    template <class... None, class I>
    nothing operator()(const I&, const braces&) const {
        return operator()<None..., void>(braces{});
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

// C's printing functions accept anything through `...`, and some compilers allow it. Argument-dependent lookup finds
// these overloads instead.
#define SINTER_DETAIL_PRINTS(function, ...)                                                                        \
    template <class... A>                                                                                          \
        requires(no_number<A> || ...)                                                                              \
    int function(__VA_ARGS__, const A&...) {                                                                       \
        static_assert(never<A...>, "sinter: an array or expression is not a C++ value: pass item(e) to " #function \
                                   ", of rank 0; std::cout << x and to_string(x) print whole arrays");             \
        return 0;                                                                                                  \
    }
SINTER_DETAIL_PRINTS(printf, const char*)
SINTER_DETAIL_PRINTS(sprintf, char*, const char*)
SINTER_DETAIL_PRINTS(snprintf, char*, std::size_t, const char*)
SINTER_DETAIL_PRINTS(fprintf, auto*, const char*)
#undef SINTER_DETAIL_PRINTS

}  // namespace sinter::detail
