// User-defined functions: one row each, fused like built-in ones.
//
//     SINTER_UNARY(softsign, floating, x / (T(1) + abs(x)))
//     SINTER_BINARY(relative_error, floating, abs(x - y) / abs(y))
//     SINTER_REDUCTION(bits_of_all, integral, identity, T(0), x | y)
//
// at namespace scope declare softsign(a), relative_error(a, b) and bits_of_all(a, axis=1). A body is C++ in the
// operands x, y and z of type T. The host compiles its tokens and NVRTC the same tokens as a string, so it may call
// functions that <cmath> and CUDA share. The rules are the enumerators of dtype_rule. A reduction's body combines x and
// y and must be associative and commutative up to rounding; `identity` or `error` is the result for no elements.
#pragma once

#include <sinter/op/functions.hpp>
#include <sinter/op/loops.hpp>
#include <sinter/op/scalars.hpp>

#define SINTER_DETAIL_RANGED_MAP(name, text, arity, rule, range, ...)                   \
    struct name##_row {                                                                 \
        SINTER_DETAIL_BODY(body, __VA_ARGS__);                                          \
        static constexpr ::sinter::op_row row{                                          \
            #name,                                                                      \
            text,                                                                       \
            nullptr,                                                                    \
            arity,                                                                      \
            ::sinter::dtype_rule::rule,                                                 \
            false,                                                                      \
            false,                                                                      \
            -1,                                                                         \
            &::sinter::detail::make_map_loops<body, ::sinter::dtype_rule::rule, arity>, \
            nullptr,                                                                    \
            ::sinter::op_range::range};                                                 \
    };
#define SINTER_DETAIL_USER_MAP(name, text, arity, rule, ...) \
    SINTER_DETAIL_RANGED_MAP(name, text, arity, rule, unknown, __VA_ARGS__)

// Internal index functions, which declare the range of their results.
#define SINTER_DETAIL_INDEX_2(name, range, ...)                                   \
    SINTER_DETAIL_RANGED_MAP(name, #__VA_ARGS__, 2, integral, range, __VA_ARGS__) \
    SINTER_DETAIL_NAMED_2(name, name##_row)
#define SINTER_DETAIL_INDEX_3(name, range, ...)                                   \
    SINTER_DETAIL_RANGED_MAP(name, #__VA_ARGS__, 3, integral, range, __VA_ARGS__) \
    SINTER_DETAIL_NAMED_3(name, name##_row)

/// Declares name(a): body in x.
#define SINTER_UNARY(name, rule, ...)                                \
    SINTER_DETAIL_USER_MAP(name, #__VA_ARGS__, 1, rule, __VA_ARGS__) \
    SINTER_DETAIL_NAMED_1(name, name##_row)                          \
    SINTER_DETAIL_OF_SCALARS(name, name##_row, void)

/// Declares name(a, b): body in x and y; either may be a C++ scalar.
#define SINTER_BINARY(name, rule, ...)                               \
    SINTER_DETAIL_USER_MAP(name, #__VA_ARGS__, 2, rule, __VA_ARGS__) \
    SINTER_DETAIL_NAMED_2(name, name##_row)                          \
    SINTER_DETAIL_OF_SCALARS(name, name##_row, void)

/// Declares name(a, b, c): body in x, y and z.
#define SINTER_TERNARY(name, rule, ...)                              \
    SINTER_DETAIL_USER_MAP(name, #__VA_ARGS__, 3, rule, __VA_ARGS__) \
    SINTER_DETAIL_NAMED_3(name, name##_row)                          \
    SINTER_DETAIL_OF_SCALARS(name, name##_row, void)

#define SINTER_DETAIL_FOLD_ROW(name, rule, empty, identity, commutes, ...)               \
    struct name##_row {                                                                  \
        SINTER_DETAIL_BODY(body, __VA_ARGS__);                                           \
        SINTER_DETAIL_IDENTITY(start, identity);                                         \
        static constexpr ::sinter::op_row row{                                           \
            #name,                                                                       \
            #__VA_ARGS__,                                                                \
            nullptr,                                                                     \
            2,                                                                           \
            ::sinter::dtype_rule::rule,                                                  \
            true,                                                                        \
            SINTER_DETAIL_EMPTY_##empty,                                                 \
            -1,                                                                          \
            &::sinter::detail::make_fold_loops<body, start, ::sinter::dtype_rule::rule>, \
            nullptr,                                                                     \
            ::sinter::op_range::unknown,                                                 \
            commutes};                                                                   \
    };

/// Declares the reduction name(a, axis=..., keepdims).
#define SINTER_REDUCTION(name, rule, empty, identity, ...)                 \
    SINTER_DETAIL_FOLD_ROW(name, rule, empty, identity, true, __VA_ARGS__) \
    SINTER_DETAIL_REDUCTION(name, name##_row)
