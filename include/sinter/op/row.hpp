// One row of the op table is all that the rest of Sinter knows about an operation: the front end uses its dtype rule,
// kernels its source, the host back end its loops. Nothing outside the table names an op.
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

/// How an op's dtypes follow from its operands. T is the type in which its body computes.
///
/// `same`, `numeric`, `floating` and `compare` are for bodies that need an order or real functions; complex operands
/// are an error. `field`, `analytic`, `equality` also accept complex numbers, whose T has arithmetic operators, == and
/// !=, the parts T::re and T::im and the functions of include/sinter/number/complex.hpp. Half types are for storage: if
/// they are the common type, T is float32, and storing rounds.
enum class dtype_rule : std::uint8_t {
    same,      ///< T and the result are the operands' common type
    numeric,   ///< as `same`, but rejects bool
    field,     ///< as `same`, also for complex operands
    ring,      ///< as `field`, but rejects bool
    floating,  ///< as `same`, but integers and bool compute in the default float
    analytic,  ///< as `floating`, also for complex operands
    compare,   ///< T is the common type, the result is bool
    equality,  ///< as `compare`, also for complex operands
    logical,   ///< T and the result are bool
    integral,  ///< as `same`, but rejects floating operands
    integer,   ///< as `integral`, but rejects bool
    to_bits,   ///< T is floating, the result is the signed integer of the same size
    of_bits,   ///< T is a signed integer, the result is the floating type of the same size
    select,    ///< the first operand is bool, the others and the result are T; also complex
    sum,       ///< a reduction whose accumulator has 64 bits for integers and bool; also complex
    complex_,  ///< T and the result are complex; real operands are converted
    part,      ///< as `complex_`, but the result is the type of T's parts
    // for inner.def: T is moments32 or moments64
    moments,  ///< a reduction of Ts, or of elements of T's part type, to a T
    chosen,   ///< the first operand is bool, the second has T's part type, the result is a T
    moment,   ///< the operand is a T, the result has its part type
    // T is exp_sum32 or exp_sum64
    exp_sum,          ///< a reduction of Ts, or of elements of T's part type, to a T
    part_of_exp_sum,  ///< the operand is a T, the result has its part type
    // pairs of an element and its index
    keyed,         ///< T is the first operand's type, real; the second is int64, the result a keyed_index
    packed,        ///< as `keyed` for T of at most 32 bits, with an int32 index and a uint64 result
    largest_key,   ///< a reduction of keyed_index
    index_of_key,  ///< T is keyed_index or uint64, the result an int64
};

/// Whether complex operands are an error.
constexpr bool refuses_complex(dtype_rule rule) {
    return rule == dtype_rule::same || rule == dtype_rule::numeric || rule == dtype_rule::floating ||
           rule == dtype_rule::compare || rule == dtype_rule::integral || rule == dtype_rule::integer;
}
/// Whether all-bool operands are an error. This covers what NumPy rejects and what it computes in int8: a bool result
/// would hide the difference.
constexpr bool refuses_bool(dtype_rule rule) {
    return rule == dtype_rule::numeric || rule == dtype_rule::ring || rule == dtype_rule::integer;
}
/// Whether floating operands are an error.
constexpr bool refuses_floating(dtype_rule rule) { return rule == dtype_rule::integral || rule == dtype_rule::integer; }

/// Whether a body with this rule can compute in T.
constexpr bool computes_in(dtype_rule rule, dtype t) {
    if (is_storage_only(t) || (is_complex(t) && refuses_complex(rule)) || (t == dtype::bool_ && refuses_bool(rule)))
        return false;
    if (is_moments(t)) return rule == dtype_rule::moments || rule == dtype_rule::chosen || rule == dtype_rule::moment;
    if (detail::is_exp_sum(t)) return rule == dtype_rule::exp_sum || rule == dtype_rule::part_of_exp_sum;
    if (t == dtype::keyed_index) return rule == dtype_rule::largest_key || rule == dtype_rule::index_of_key;
    switch (rule) {
        case dtype_rule::moments:
        case dtype_rule::chosen:
        case dtype_rule::moment:
        case dtype_rule::exp_sum:
        case dtype_rule::part_of_exp_sum:
        case dtype_rule::largest_key: return false;
        case dtype_rule::keyed: return !is_complex(t);
        case dtype_rule::packed: return !is_complex(t) && size_of(t) <= 4;
        case dtype_rule::index_of_key: return t == dtype::uint64;
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

/// The result dtype of a body that computes in T.
constexpr dtype result_of(dtype_rule rule, dtype t) {
    switch (rule) {
        case dtype_rule::compare:
        case dtype_rule::equality:
        case dtype_rule::logical: return dtype::bool_;
        case dtype_rule::part:
        case dtype_rule::moment:
        case dtype_rule::part_of_exp_sum: return real_of(t);
        case dtype_rule::keyed: return dtype::keyed_index;
        case dtype_rule::packed: return dtype::uint64;
        case dtype_rule::index_of_key: return dtype::int64;
        case dtype_rule::to_bits: return t == dtype::float32 ? dtype::int32 : dtype::int64;
        case dtype_rule::of_bits: return t == dtype::int32 ? dtype::float32 : dtype::float64;
        default: return t;
    }
}

/// The accumulator dtype of a reduction of a t.
constexpr dtype accumulator_of(dtype_rule rule, dtype t) {
    if (rule == dtype_rule::moments && !is_moments(t)) return moments_of(t);
    return rule == dtype_rule::exp_sum && !detail::is_exp_sum(t) ? detail::exp_sum_of(t) : t;
}

namespace detail {

/// The dtype of operand i of a body that computes in t.
constexpr dtype operand_of(dtype_rule rule, dtype t, int i) {
    if (i == 0) return rule == dtype_rule::select || rule == dtype_rule::chosen ? dtype::bool_ : t;
    if (i > 1) return t;
    return rule == dtype_rule::chosen   ? real_of(t)
           : rule == dtype_rule::keyed  ? dtype::int64
           : rule == dtype_rule::packed ? dtype::int32
                                        : t;
}
/// Whether a reduction with this rule accepts elements of T's part type as well as Ts.
constexpr bool folds_parts(dtype_rule rule) { return rule == dtype_rule::moments || rule == dtype_rule::exp_sum; }

/// The identities of max and min: no element lies beyond them.
template <class T>
inline constexpr T lowest =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

/// The identity of NaN-ignoring reductions: NaN if T has one, because any other element replaces it.
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

/// Scans `rows` dense rows of n elements: carry[r] = combine(carry[r], in[r * n + k]); out[r * n + k] is carry[r] after
/// that, or before it if `exclusive`; from the last k to the first if `backwards`. `out` may be `in`.
using scan_loop = void (*)(void* out, void* carry, const void* in, std::size_t rows, std::size_t n, bool exclusive,
                           bool backwards);

/// The host loops of a row for one T.
struct host_loops {
    map_loop map = nullptr;          ///< null if the row has no body for this T
    fold_loop fold = nullptr;        ///< reductions only
    const void* identity = nullptr;  ///< reductions only: one T
    fold_loop fold_parts = nullptr;  ///< if folds_parts(rule): as fold, for elements of T's part type
    scan_loop scan = nullptr;        ///< reductions only
};

}  // namespace detail

/// The value range of a row's integer result. Kernels use it to prove that an index fits in 32 bits.
enum class op_range : std::uint8_t {
    unknown,
    sum,        ///< x + y
    below_last  ///< in 0 .. (last operand - 1), if that operand is positive
};

/// The `builtin` of a row whose body is a run-time string (include/sinter/custom.hpp). A program holds a placeholder;
/// the last of the node's own integers is the row's address.
inline constexpr int text_row = -2;

/// One row of the op table.
struct op_row {
    const char* name;    ///< "multiply"; NumPy's name if there is one
    const char* body;    ///< C++ tokens in x, y, z and T: "x * y". A reduction's body combines x and y
    const char* symbol;  ///< the operator, or null: "*"
    std::uint8_t arity;  ///< operands of the body: 1 to 3; a reduction's is 2
    dtype_rule rule;
    bool is_reduction;
    bool has_identity;                  ///< reductions: no elements give the identity (sum), or an error (max)
    int builtin;                        ///< position in the table; -1 for a user's row; or text_row
    detail::host_loops (*host)(dtype);  ///< the loops of a user's row; null for built-in rows (codegen/host)
    const char* identity = nullptr;     ///< for reductions given as strings; otherwise the loops hold it
    op_range range = op_range::unknown;
    bool commutes = true;  ///< reductions: whether combine is commutative; if not, only scans may use it
};

}  // namespace sinter
