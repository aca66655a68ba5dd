// The op table's functions and operators, generated from its rows.
#pragma once

#include <sinter/op/builtin.hpp>
#include <sinter/reduce.hpp>

// A row as a type, so that trees can name it. `index` is the row's position in the table, -1 for a user's row.
#define SINTER_DETAIL_ROW(name, text, symbol, arity, rule, reduction, identity, index, host)              \
    static constexpr ::sinter::op_row row{name,      text,     symbol, arity, ::sinter::dtype_rule::rule, \
                                          reduction, identity, index,  host};

#define SINTER_DETAIL_FUNCTION_1(function, type)                  \
    template <::sinter::operand A>                                \
    [[nodiscard]] auto function(A&& a) {                          \
        return ::sinter::detail::apply<type>(std::forward<A>(a)); \
    }
#define SINTER_DETAIL_FUNCTION_2(function, type)                                                      \
    template <class A, class B>                                                                       \
        requires((::sinter::operand<A> || ::sinter::operand<B>) && !::sinter::detail::text_stream<A>) \
    [[nodiscard]] auto function(A&& a, B&& b) {                                                       \
        return ::sinter::detail::apply<type>(std::forward<A>(a), std::forward<B>(b));                 \
    }
#define SINTER_DETAIL_FUNCTION_3(function, type)                                                          \
    template <class A, class B, class C>                                                                  \
        requires(::sinter::operand<A> || ::sinter::operand<B> || ::sinter::operand<C>)                    \
    [[nodiscard]] auto function(A&& a, B&& b, C&& c) {                                                    \
        return ::sinter::detail::apply<type>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c)); \
    }
// A function; unlike an operator, it can be called with wrong arguments. Rows write both lines themselves: g++ prints
// a note for each macro that a message comes through.
#define SINTER_DETAIL_NAMED_1(function, type) \
    SINTER_DETAIL_FUNCTION_1(function, type)  \
    SINTER_DETAIL_USAGE(function, #function "(x)")
#define SINTER_DETAIL_NAMED_2(function, type) \
    SINTER_DETAIL_FUNCTION_2(function, type)  \
    SINTER_DETAIL_USAGE(function, #function "(x, y)")
#define SINTER_DETAIL_NAMED_3(function, type) \
    SINTER_DETAIL_FUNCTION_3(function, type)  \
    SINTER_DETAIL_USAGE(function, #function "(x, y, z)")
// A choice is an object, so that its name can also be a reduction's mask option: sum(x, where=x > 0).
#define SINTER_DETAIL_CHOICE(function, type) inline constexpr ::sinter::detail::choice<type> function{};
#define SINTER_DETAIL_REDUCTION(function, type) inline constexpr ::sinter::detail::reduction<type> function{};

// `...` holds members that a built-in row's type has besides the row.
#define SINTER_DETAIL_BUILTIN(name, text, symbol, arity, rule, reduction, identity, ...) \
    namespace op {                                                                       \
    struct name {                                                                        \
        SINTER_DETAIL_ROW(#name, text, symbol, arity, rule, reduction, identity,         \
                          static_cast<int>(::sinter::builtin_op::name), nullptr)         \
        __VA_ARGS__                                                                      \
    };                                                                                   \
    }

#define SINTER_ROW_UNARY(name, rule, ...)                                       \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 1, rule, false, false, ) \
    SINTER_DETAIL_FUNCTION_1(name, op::name)                                    \
    SINTER_DETAIL_USAGE(name, #name "(x)")
#define SINTER_ROW_BINARY(name, rule, ...)                                      \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 2, rule, false, false, ) \
    SINTER_DETAIL_FUNCTION_2(name, op::name)                                    \
    SINTER_DETAIL_USAGE(name, #name "(x, y)")
#define SINTER_ROW_TERNARY(name, rule, ...)                                     \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 3, rule, false, false, ) \
    SINTER_DETAIL_FUNCTION_3(name, op::name)                                    \
    SINTER_DETAIL_USAGE(name, #name "(x, y, z)")
#define SINTER_ROW_CHOICE(name, rule, ...)                                      \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 3, rule, false, false, ) \
    SINTER_DETAIL_CHOICE(name, op::name)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...)                              \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, #symbol, 1, rule, false, false, ) \
    SINTER_DETAIL_FUNCTION_1(operator symbol, op::name)
#define SINTER_ROW_INFIX(name, symbol, rule, ...)                               \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, #symbol, 2, rule, false, false, ) \
    SINTER_DETAIL_FUNCTION_2(operator symbol, op::name)
#define SINTER_DETAIL_EMPTY_identity true
#define SINTER_DETAIL_EMPTY_error false
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)                                     \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 2, rule, true, SINTER_DETAIL_EMPTY_##empty, \
                          SINTER_DETAIL_IDENTITY(start, identity);)                                \
    SINTER_DETAIL_REDUCTION(name, op::name)

namespace sinter {
#include <sinter/op/table.def>

#define SINTER_ROW_UNARY(name, rule, ...) SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 1, rule, false, false, )
#define SINTER_ROW_BINARY(name, rule, ...) SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 2, rule, false, false, )
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    SINTER_DETAIL_BUILTIN(name, #__VA_ARGS__, nullptr, 2, rule, true, SINTER_DETAIL_EMPTY_##empty, )
#include <sinter/op/inner.def>
#undef SINTER_ROW_UNARY
#undef SINTER_ROW_BINARY
#undef SINTER_ROW_REDUCTION
}  // namespace sinter

#include <sinter/compare.hpp>  // apply() needs the comparisons
