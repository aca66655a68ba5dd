// What one row of the op table says. A row is all that the rest of Sinter knows of an operation: the front end takes
// its dtype rule, kernels its text, the host back end its loops. Nothing outside the table names an op.
#pragma once

#include <sinter/dtype.hpp>

#include <cstddef>
#include <limits>

/// A type that holds the tokens of a reduction's identity.
#define SINTER_DETAIL_IDENTITY(type_name, ...)     \
    struct type_name {                             \
        template <class T>                         \
        static constexpr T value = T(__VA_ARGS__); \
    }

namespace sinter {

/// How an op's dtypes follow from its operands'. T is the type its body computes in.
///
/// `same`, `numeric`, `floating` and `compare` are for bodies that need an order or functions that real numbers alone
/// have; complex operands are refused in one line. `field`, `analytic`, `equality` are the same with complex numbers,
/// whose T has the arithmetic operators, == and !=, the parts T::re and T::im and the functions of
/// include/sinter/number/complex.hpp. The half types are for storage: where they are the common type, T is float32, and
/// storing rounds.
enum class dtype_rule : std::uint8_t {
    same,      ///< T is the operands' common type, and so is the result
    numeric,   ///< as `same`; bool is refused
    field,     ///< as `same`, for complex operands, too
    ring,      ///< as `field`; bool is refused
    floating,  ///< as `same`, but integers and bool compute in the default float
    analytic,  ///< as `floating`, for complex operands, too
    compare,   ///< T is the common type, the result is bool
    equality,  ///< as `compare`, for complex operands, too
    logical,   ///< T and the result are bool
    integral,  ///< as `same`; floating operands are refused
    integer,   ///< as `integral`; bool is refused
    to_bits,   ///< T is floating, the result the signed integer of its size
    of_bits,   ///< T is a signed integer, the result the floating type of its size
    select,    ///< the first operand is bool, the others share T, the result is T; complex, too
    sum,       ///< a reduction whose accumulator is 64 bits wide for integers and bool; complex, too
    complex_,  ///< T is complex, as the operands are or as they become, and so is the result
    part,      ///< as `complex_`, but the result is the type of T's parts
    // of inner.def: T is moments32 or moments64
    moments,  ///< a reduction of Ts, or of elements of the type of T's parts, to a T
    chosen,   ///< the first operand is bool, the second has the type of T's parts, the result is a T
    moment,   ///< the operand is a T, the result has the type of its parts
};

/// Whether complex operands are an error.
constexpr bool refuses_complex(dtype_rule rule) {
    return rule == dtype_rule::same || rule == dtype_rule::numeric || rule == dtype_rule::floating ||
           rule == dtype_rule::compare || rule == dtype_rule::integral || rule == dtype_rule::integer;
}
/// Whether operands that are all bools are an error. What NumPy refuses is refused, and what it computes in int8: a
/// bool would hide what differs.
constexpr bool refuses_bool(dtype_rule rule) {
    return rule == dtype_rule::numeric || rule == dtype_rule::ring || rule == dtype_rule::integer;
}
/// Whether floating operands are an error.
constexpr bool refuses_floating(dtype_rule rule) { return rule == dtype_rule::integral || rule == dtype_rule::integer; }

/// Whether a body of the rule computes in T.
constexpr bool computes_in(dtype_rule rule, dtype t) {
    if (is_half(t) || (is_complex(t) && refuses_complex(rule)) || (t == dtype::bool_ && refuses_bool(rule)))
        return false;
    if (is_moments(t)) return rule == dtype_rule::moments || rule == dtype_rule::chosen || rule == dtype_rule::moment;
    switch (rule) {
        case dtype_rule::moments:
        case dtype_rule::chosen:
        case dtype_rule::moment: return false;
        case dtype_rule::floating:
        case dtype_rule::analytic: return is_floating(t) || is_complex(t);
        case dtype_rule::logical: return t == dtype::bool_;
        case dtype_rule::integral:
        case dtype_rule::integer: return !is_floating(t);
        case dtype_rule::to_bits: return is_floating(t);
        case dtype_rule::of_bits: return t == dtype::int32 || t == dtype::int64;
        case dtype_rule::sum: return is_floating(t) || is_complex(t) || (is_integer(t) && size_of(t) == 8);
        case dtype_rule::complex_:
        case dtype_rule::part: return is_complex(t);
        default: return true;
    }
}

/// The dtype of the result of a body that computes in T.
constexpr dtype result_of(dtype_rule rule, dtype t) {
    switch (rule) {
        case dtype_rule::compare:
        case dtype_rule::equality:
        case dtype_rule::logical: return dtype::bool_;
        case dtype_rule::part:
        case dtype_rule::moment: return real_of(t);
        case dtype_rule::to_bits: return t == dtype::float32 ? dtype::int32 : dtype::int64;
        case dtype_rule::of_bits: return t == dtype::int32 ? dtype::float32 : dtype::float64;
        default: return t;
    }
}

/// The dtype of a reduction's accumulator where the operand is a t.
constexpr dtype accumulator_of(dtype_rule rule, dtype t) {
    return rule == dtype_rule::moments && !is_moments(t) ? moments_of(t) : t;
}

namespace detail {

/// The identities of max and min: no element is beyond them.
template <class T>
inline constexpr T lowest =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

/// The identity of what ignores NaN: where there is one, NaN itself, which any other element replaces.
template <class T>
inline constexpr T nan_or_lowest =
    std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : lowest<T>;
template <class T>
inline constexpr T nan_or_highest =
    std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : highest<T>;

/// out[i] = body(in[0][i], in[1][i], in[2][i]) for i < n. Buffers are dense and do not overlap, except that `out` may
/// be one of the inputs.
using map_loop = void (*)(void* out, const void* const* in, std::size_t n);

/// acc[r] = combine(acc[r], in[r * n + k] for every k < n), for r < rows; in has `rows` dense rows of n elements.
using fold_loop = void (*)(void* acc, const void* in, std::size_t rows, std::size_t n);

/// Runs along `rows` dense rows of n elements: carry[r] = combine(carry[r], in[r * n + k]), and out[r * n + k] is what
/// carry[r] is then, or, if `exclusive`, before; from the last k to the first if `backwards`. `out` may be `in`.
using scan_loop = void (*)(void* out, void* carry, const void* in, std::size_t rows, std::size_t n, bool exclusive,
                           bool backwards);

/// The host's side of a row for one T.
struct host_loops {
    map_loop map = nullptr;          ///< null where the row has no body for this T
    fold_loop fold = nullptr;        ///< reductions only
    const void* identity = nullptr;  ///< reductions only: one T
    fold_loop fold_parts = nullptr;  ///< reductions to moments: as fold, of elements of the type of T's parts
    scan_loop scan = nullptr;        ///< reductions only
};

}  // namespace detail

/// What a row says of the integers that its body can give: by it kernels prove that 32 bits hold an index.
enum class op_range : std::uint8_t {
    unknown,
    sum,        ///< x + y
    below_last  ///< at least 0 and less than the last operand, where that is positive
};

/// The `builtin` of a row whose body is text that only run time knows (include/sinter/custom.hpp). A program holds a
/// placeholder for it, and the row's address among its integers: the last of the node's own.
inline constexpr int text_row = -2;

/// One row of the op table.
struct op_row {
    const char* name;    ///< "multiply", as in NumPy where NumPy has it
    const char* body;    ///< C++ tokens in x, y, z and T: "x * y". A reduction's body combines x and y
    const char* symbol;  ///< the operator, or null: "*"
    std::uint8_t arity;  ///< operands of the body: 1 to 3; a reduction's is 2
    dtype_rule rule;
    bool is_reduction;
    bool has_identity;  ///< reductions: whether no elements at all give the identity (sum) or an error (max)
    int builtin;        ///< position in the table, or -1 for a row of the user's, or text_row
    detail::host_loops (*host)(
        dtype);  ///< the loops of a user's row; null for the built-in ones, which live in codegen/host
    const char* identity = nullptr;  ///< reductions given as text: the identity's; else the loops tell it
    op_range range = op_range::unknown;
    bool commutes = true;  ///< reductions: whether x and y may change places; else it is for scans alone
};

}  // namespace sinter
