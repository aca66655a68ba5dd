// Element types: their names, sizes, kinds and promotion rules.
//
// Promotion follows the Array API standard,
//   https://data-apis.org/array-api/2023.12/API_specification/type_promotion.html
// with these cases, which the standard leaves open: uint64 with a signed integer gives float64, as in NumPy; an integer
// with a floating or complex type gives that type (NumPy promotes int32 and float32 to float64); two different floating
// types for storage give the smallest type that holds both: float16 with bfloat16 float32, both float8 types float16.
#pragma once

#include <sinter/number/storage_floats.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sinter {

/// The element type of an array or of an expression.
enum class dtype : std::uint8_t {
    bool_,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float8_e4m3,
    float8_e5m2,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    // internal accumulator types; no array has them
    moments32,
    moments64,
    exp_sum32,
    exp_sum64,
    keyed_index
};

/// The number of dtypes that an array can have.
inline constexpr int dtype_count = 17;

/// The kinds in ascending order: the operand of the highest kind decides the result's kind.
enum class dtype_kind : std::uint8_t { boolean, unsigned_integer, signed_integer, floating, complex_, accumulator };

namespace detail {

struct dtype_row {
    const char* name;   ///< in the API and in messages
    const char* cuda;   ///< in generated source
    std::uint8_t size;  ///< bytes per element
    dtype_kind kind;
};

inline constexpr dtype_row dtype_rows[] = {
    {"bool", "bool", 1, dtype_kind::boolean},
    {"int8", "signed char", 1, dtype_kind::signed_integer},
    {"int16", "short", 2, dtype_kind::signed_integer},
    {"int32", "int", 4, dtype_kind::signed_integer},
    {"int64", "long long", 8, dtype_kind::signed_integer},
    {"uint8", "unsigned char", 1, dtype_kind::unsigned_integer},
    {"uint16", "unsigned short", 2, dtype_kind::unsigned_integer},
    {"uint32", "unsigned int", 4, dtype_kind::unsigned_integer},
    {"uint64", "unsigned long long", 8, dtype_kind::unsigned_integer},
    {"float8_e4m3", "float8_e4m3", 1, dtype_kind::floating},
    {"float8_e5m2", "float8_e5m2", 1, dtype_kind::floating},
    {"float16", "float16", 2, dtype_kind::floating},
    {"bfloat16", "bfloat16", 2, dtype_kind::floating},
    {"float32", "float", 4, dtype_kind::floating},
    {"float64", "double", 8, dtype_kind::floating},
    {"complex64", "complex64", 8, dtype_kind::complex_},
    {"complex128", "complex128", 16, dtype_kind::complex_},
    {"moments32", "moments32", 16, dtype_kind::accumulator},
    {"moments64", "moments64", 32, dtype_kind::accumulator},
    {"exp_sum32", "exp_sum32", 8, dtype_kind::accumulator},
    {"exp_sum64", "exp_sum64", 16, dtype_kind::accumulator},
    {"keyed_index", "keyed_index", 16, dtype_kind::accumulator},
};

}  // namespace detail

/// The dtype's name, as in "float64".
constexpr const char* name(dtype d) { return detail::dtype_rows[static_cast<int>(d)].name; }
/// The dtype as CUDA C++ spells it, as in "double".
constexpr const char* cuda_name(dtype d) { return detail::dtype_rows[static_cast<int>(d)].cuda; }
/// Bytes one element takes.
constexpr std::size_t size_of(dtype d) { return detail::dtype_rows[static_cast<int>(d)].size; }
/// The dtype's kind.
constexpr dtype_kind kind_of(dtype d) { return detail::dtype_rows[static_cast<int>(d)].kind; }
/// Whether the dtype is a real floating type, including those of 8 and 16 bits.
constexpr bool is_floating(dtype d) { return kind_of(d) == dtype_kind::floating; }
/// Whether the dtype is an integer type; bool is not.
constexpr bool is_integer(dtype d) {
    return kind_of(d) == dtype_kind::signed_integer || kind_of(d) == dtype_kind::unsigned_integer;
}
/// Whether the dtype is complex.
constexpr bool is_complex(dtype d) { return kind_of(d) == dtype_kind::complex_; }
/// Whether the dtype is an accumulator of moments: see number/moments.hpp.
constexpr bool is_moments(dtype d) { return d == dtype::moments32 || d == dtype::moments64; }
/// Whether the dtype is a 16-bit floating type.
constexpr bool is_half(dtype d) { return d == dtype::float16 || d == dtype::bfloat16; }
/// Whether the dtype is an 8-bit floating type.
constexpr bool is_float8(dtype d) { return d == dtype::float8_e4m3 || d == dtype::float8_e5m2; }
/// Whether the dtype is for storage only: its values are computed in float32.
constexpr bool is_storage_only(dtype d) { return is_half(d) || is_float8(d); }

/// The dtype in which floating functions compute integers.
inline constexpr dtype default_float = dtype::float64;

namespace detail {

/// Whether the dtype is a reduction's accumulator struct: moments, sums of exponentials, keyed indices.
constexpr bool is_accumulator(dtype d) { return kind_of(d) == dtype_kind::accumulator; }
/// Whether the dtype is an accumulator of a sum of exponentials: see number/exp_sum.hpp.
constexpr bool is_exp_sum(dtype d) { return d == dtype::exp_sum32 || d == dtype::exp_sum64; }
/// The accumulator dtype for the sum of exponentials of a floating dtype.
constexpr dtype exp_sum_of(dtype d) { return size_of(d) <= 4 ? dtype::exp_sum32 : dtype::exp_sum64; }

}  // namespace detail

/// The dtype of the parts of a complex number or an accumulator; any other dtype itself.
constexpr dtype real_of(dtype d) {
    if (is_moments(d)) return d == dtype::moments32 ? dtype::float32 : dtype::float64;
    if (detail::is_exp_sum(d)) return d == dtype::exp_sum32 ? dtype::float32 : dtype::float64;
    return d == dtype::complex64 ? dtype::float32 : d == dtype::complex128 ? dtype::float64 : d;
}
/// The accumulator dtype for the moments of a floating dtype.
constexpr dtype moments_of(dtype d) { return size_of(d) <= 4 ? dtype::moments32 : dtype::moments64; }
/// The smallest complex dtype that holds a dtype's values; for integers and bool, the complex default float.
constexpr dtype complex_of(dtype d) {
    if (is_complex(d)) return d;
    return is_floating(d) && size_of(d) <= 4 ? dtype::complex64 : dtype::complex128;
}
/// The dtype that values are computed in: float32 for those that are for storage only.
constexpr dtype computed_in(dtype d) { return is_storage_only(d) ? dtype::float32 : d; }

namespace detail {

constexpr dtype integer_of(std::size_t bytes, bool is_signed) {
    constexpr dtype signed_types[] = {dtype::int8, dtype::int16, dtype::int32, dtype::int64};
    constexpr dtype unsigned_types[] = {dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64};
    const int log2 = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return is_signed ? signed_types[log2] : unsigned_types[log2];
}

}  // namespace detail

/// The common dtype of two arrays.
constexpr dtype promote(dtype a, dtype b) {
    if (kind_of(a) > kind_of(b)) return promote(b, a);  // from here kind(a) <= kind(b)
    if (is_half(a) && is_half(b) && a != b) return dtype::float32;
    if (is_float8(a) && is_float8(b) && a != b) return dtype::float16;
    if (kind_of(a) == kind_of(b)) return size_of(a) >= size_of(b) ? a : b;
    if (kind_of(a) == dtype_kind::boolean) return b;
    if (is_complex(b)) return is_floating(a) ? promote(complex_of(a), b) : b;
    if (is_floating(b)) return b;
    // unsigned with signed: the smallest signed type that holds both, else float64
    if (size_of(a) < size_of(b)) return b;
    return size_of(a) == 8 ? dtype::float64 : detail::integer_of(size_of(a) * 2, true);
}

/// The common dtype of an array of dtype `array` and a weak C++ scalar of dtype `scalar`: the array's, if its kind
/// allows. With integers and bool, a floating or complex scalar keeps its own dtype: u8 * 0.5f is float32, u8 * 0.5
/// float64. An integer with bool gives int64.
constexpr dtype promote_weak(dtype scalar, dtype array) {
    const bool inexact = is_floating(array) || is_complex(array);
    if (is_complex(scalar)) return inexact ? complex_of(array) : scalar;
    if (is_floating(scalar)) return inexact ? array : scalar;
    if (kind_of(scalar) == dtype_kind::boolean) return array;
    return kind_of(array) == dtype_kind::boolean ? dtype::int64 : array;
}

/// Whether assignment converts implicitly: within a kind, or from a lower kind to a higher one.
constexpr bool assignable(dtype to, dtype from) {
    const auto rank = [](dtype d) {
        return kind_of(d) == dtype_kind::boolean ? 0 : is_integer(d) ? 1 : is_floating(d) ? 2 : 3;
    };
    return rank(from) <= rank(to);
}

namespace detail {

template <dtype D>
struct element;
// clang-format off
template <> struct element<dtype::bool_> { using type = bool; };
template <> struct element<dtype::int8> { using type = std::int8_t; };
template <> struct element<dtype::int16> { using type = std::int16_t; };
template <> struct element<dtype::int32> { using type = std::int32_t; };
template <> struct element<dtype::int64> { using type = std::int64_t; };
template <> struct element<dtype::uint8> { using type = std::uint8_t; };
template <> struct element<dtype::uint16> { using type = std::uint16_t; };
template <> struct element<dtype::uint32> { using type = std::uint32_t; };
template <> struct element<dtype::uint64> { using type = std::uint64_t; };
template <> struct element<dtype::float8_e4m3> { using type = sinter::float8_e4m3; };
template <> struct element<dtype::float8_e5m2> { using type = sinter::float8_e5m2; };
template <> struct element<dtype::float16> { using type = sinter::float16; };
template <> struct element<dtype::bfloat16> { using type = sinter::bfloat16; };
template <> struct element<dtype::float32> { using type = float; };
template <> struct element<dtype::float64> { using type = double; };
template <> struct element<dtype::complex64> { using type = std::complex<float>; };
template <> struct element<dtype::complex128> { using type = std::complex<double>; };
// clang-format on

/// The position in D of the dtype whose element type is T; -1 if there is none.
template <class T, dtype... D>
constexpr int number_of() {
    int found = -1;
    ((std::is_same_v<T, typename element<D>::type> ? void(found = static_cast<int>(D)) : void()), ...);
    return found;
}
template <class T>
inline constexpr int inexact_number =
    number_of<T, dtype::float8_e4m3, dtype::float8_e5m2, dtype::float16, dtype::bfloat16, dtype::float32,
              dtype::float64, dtype::complex64, dtype::complex128>();

template <class T>
constexpr dtype dtype_of_impl() {
    if constexpr (std::is_same_v<T, bool>)
        return dtype::bool_;
    else if constexpr (std::is_integral_v<T>)
        return integer_of(sizeof(T), std::is_signed_v<T>);
    else
        return static_cast<dtype>(inexact_number<T>);
}

/// Calls f.operator()<D>() with an array's dtype as a compile-time constant.
template <class F>
constexpr decltype(auto) with_dtype(dtype d, F&& f) {
    switch (d) {
        case dtype::bool_: return f.template operator()<dtype::bool_>();
        case dtype::int8: return f.template operator()<dtype::int8>();
        case dtype::int16: return f.template operator()<dtype::int16>();
        case dtype::int32: return f.template operator()<dtype::int32>();
        case dtype::int64: return f.template operator()<dtype::int64>();
        case dtype::uint8: return f.template operator()<dtype::uint8>();
        case dtype::uint16: return f.template operator()<dtype::uint16>();
        case dtype::uint32: return f.template operator()<dtype::uint32>();
        case dtype::uint64: return f.template operator()<dtype::uint64>();
        case dtype::float8_e4m3: return f.template operator()<dtype::float8_e4m3>();
        case dtype::float8_e5m2: return f.template operator()<dtype::float8_e5m2>();
        case dtype::float16: return f.template operator()<dtype::float16>();
        case dtype::bfloat16: return f.template operator()<dtype::bfloat16>();
        case dtype::float32: return f.template operator()<dtype::float32>();
        case dtype::float64: return f.template operator()<dtype::float64>();
        case dtype::complex64: return f.template operator()<dtype::complex64>();
        default: return f.template operator()<dtype::complex128>();
    }
}

}  // namespace detail

/// The C++ types of array elements and of scalars in expressions: bool, integers of up to 64 bits, float, double,
/// float16, bfloat16, float8_e4m3, float8_e5m2, std::complex<float> and std::complex<double>.
template <class T>
concept element_type =
    std::is_same_v<T, bool> || (std::is_integral_v<T> && sizeof(T) <= 8) || (detail::inexact_number<T> >= 0);

/// The dtype of a C++ element type.
template <element_type T>
inline constexpr dtype dtype_of = detail::dtype_of_impl<T>();

/// The C++ type of a dtype.
template <dtype D>
using element_t = typename detail::element<D>::type;

}  // namespace sinter
