// The dtype of every kind of operation, as the op table's rules and the weak scalars decide it.
#include <sinter.hpp>

namespace operands {
extern sinter::array<bool, 1> b;
extern sinter::array<std::int8_t, 1> i8;
extern sinter::array<std::int32_t, 1> i32;
extern sinter::array<std::uint8_t, 1> u8;
extern sinter::array<std::uint64_t, 1> u64;
extern sinter::array<float, 1> f32;
extern sinter::array<double, 1> f64;
extern sinter::array<sinter::float16, 1> f16;
extern sinter::array<sinter::bfloat16, 1> bf16;
extern sinter::array<std::complex<float>, 1> c64;
extern sinter::array<std::complex<double>, 1> c128;
}  // namespace operands

using namespace operands;
using namespace sinter;

template <class E>
constexpr dtype type_of = std::remove_cvref_t<E>::type;
#define TYPE(...) type_of<decltype(__VA_ARGS__)>

// same: the common type, and scalars are weak
static_assert(TYPE(-i8) == dtype::int8);
static_assert(TYPE(i8 + i32) == dtype::int32);
static_assert(TYPE(i8 + u8) == dtype::int16);
static_assert(TYPE(u64 + i8) == dtype::float64);
static_assert(TYPE(f32 + f64) == dtype::float64);
static_assert(TYPE(i32 * f32) == dtype::float32);
static_assert(TYPE(b + b) == dtype::bool_);
static_assert(TYPE(2 * f32) == dtype::float32);
static_assert(TYPE(f32 * 2) == dtype::float32);
static_assert(TYPE(0.5 * f32) == dtype::float32);
static_assert(TYPE(f32 - 0.5) == dtype::float32);
static_assert(TYPE(0.5f * f64) == dtype::float64);
static_assert(TYPE(0.5 * i32) == dtype::float64);
static_assert(TYPE(0.5f * i32) == dtype::float32);
static_assert(TYPE(0.5f * b) == dtype::float32);
static_assert(TYPE(float16(0.5f) * i32) == dtype::float16);
static_assert(TYPE(clip(i32, 0.5f, 2.0)) == dtype::float64);
static_assert(TYPE(clip(i32, 2.0, 0.5f)) == dtype::float64);
static_assert(TYPE(i8 + 100000) == dtype::int8);
static_assert(TYPE(u8 + true) == dtype::uint8);
static_assert(TYPE(b + 1) == dtype::int64);
static_assert(TYPE(b + true) == dtype::bool_);
static_assert(TYPE(maximum(i32, 0)) == dtype::int32);
static_assert(TYPE(minimum(0, f32)) == dtype::float32);
static_assert(TYPE(clip(f32, 0, 1.0)) == dtype::float32);
static_assert(TYPE(clip(i32, 0, 1.5)) == dtype::float64);
static_assert(TYPE(abs(i8)) == dtype::int8);
static_assert(TYPE(square(u8)) == dtype::uint8);

// floating: integers and bool compute in the default float
static_assert(TYPE(i32 / i32) == dtype::float64);
static_assert(TYPE(i32 / 2) == dtype::float64);
static_assert(TYPE(b / b) == dtype::float64);
static_assert(TYPE(f32 / 2) == dtype::float32);
static_assert(TYPE(f32 / i32) == dtype::float32);
static_assert(TYPE(sqrt(i8)) == dtype::float64);
static_assert(TYPE(exp(f32)) == dtype::float32);
static_assert(TYPE(pow(f32, 2)) == dtype::float32);
static_assert(TYPE(pow(i32, 2)) == dtype::float64);
static_assert(TYPE(atan2(f32, f64)) == dtype::float64);

// compare and logical give bool
static_assert(TYPE(f32 < 0) == dtype::bool_);
static_assert(TYPE(i8 >= u64) == dtype::bool_);
static_assert(TYPE(1.5 == i32) == dtype::bool_);
static_assert(TYPE(isnan(f64)) == dtype::bool_);
static_assert(TYPE(f32 && i32) == dtype::bool_);
static_assert(TYPE(!i32) == dtype::bool_);

// integral
static_assert(TYPE(i8 & i32) == dtype::int32);
static_assert(TYPE(u8 | 1) == dtype::uint8);
static_assert(TYPE(b ^ b) == dtype::bool_);

// select: the condition does not take part
static_assert(TYPE(where(b, i8, i32)) == dtype::int32);
static_assert(TYPE(where(f64 > 0, f32, 0)) == dtype::float32);
static_assert(TYPE(where(f64 > 0, 0.0, f32)) == dtype::float32);
static_assert(TYPE(where(b, i32, 0.5)) == dtype::float64);
static_assert(TYPE(where(b, 1.0, 0.0)) == dtype::float64);
static_assert(TYPE(where(i32, f32, f32)) == dtype::float32);

// sum: integers accumulate in 64 bits
static_assert(TYPE(sum(b)) == dtype::int64);
static_assert(TYPE(sum(i8)) == dtype::int64);
static_assert(TYPE(sum(u8)) == dtype::uint64);
static_assert(TYPE(prod(i32)) == dtype::int64);
static_assert(TYPE(sum(f32)) == dtype::float32);
static_assert(TYPE(sum(f64, axis=0_c)) == dtype::float64);
static_assert(TYPE(max(i8)) == dtype::int8);
static_assert(TYPE(min(b)) == dtype::bool_);
static_assert(TYPE(mean(i32)) == dtype::float64);
static_assert(TYPE(mean(b, axis=0, keepdims)) == dtype::float64);
static_assert(TYPE(mean(f32)) == dtype::float32);

// composite functions
static_assert(TYPE(var(i32)) == dtype::float64);
static_assert(TYPE(stddev(f32, axis=0)) == dtype::float32);
static_assert(TYPE(norm(u8)) == dtype::float64);
static_assert(TYPE(norm(f32)) == dtype::float32);
static_assert(TYPE(softmax(f32, axis=0)) == dtype::float32);
static_assert(TYPE(count_nonzero(f32)) == dtype::int64);

// the storage types: their own kind's rules
static_assert(TYPE(f16 + f16) == dtype::float16);
static_assert(TYPE(f16 * bf16) == dtype::float32);
static_assert(TYPE(bf16 + f32) == dtype::float32);
static_assert(TYPE(f16 + f64) == dtype::float64);
static_assert(TYPE(f16 * i32) == dtype::float16);
static_assert(TYPE(0.5 * bf16) == dtype::bfloat16);
static_assert(TYPE(f32 * sinter::float16(2)) == dtype::float32);
static_assert(TYPE(exp(f16)) == dtype::float16);
static_assert(TYPE(f16 < 0) == dtype::bool_);
static_assert(TYPE(sum(f16)) == dtype::float16);
static_assert(TYPE(mean(bf16)) == dtype::bfloat16);
static_assert(TYPE(f16 * c64) == dtype::complex64);

// complex numbers
static_assert(TYPE(c64 + f64) == dtype::complex128);
static_assert(TYPE(c64 * i32) == dtype::complex64);
static_assert(TYPE(2 * c64) == dtype::complex64);
static_assert(TYPE(0.5 * c64) == dtype::complex64);
static_assert(TYPE(f32 * std::complex<double>(0, 1)) == dtype::complex64);
static_assert(TYPE(f64 * std::complex<float>(0, 1)) == dtype::complex128);
static_assert(TYPE(i32 * std::complex<float>(0, 1)) == dtype::complex64);
static_assert(TYPE(i32 * std::complex<double>(0, 1)) == dtype::complex128);
static_assert(TYPE(exp(c64)) == dtype::complex64);
static_assert(TYPE(pow(c64, f64)) == dtype::complex128);
static_assert(TYPE(c64 == c128) == dtype::bool_);
static_assert(TYPE(isnan(c64)) == dtype::bool_);
static_assert(TYPE(c64 && i32) == dtype::bool_);
static_assert(TYPE(where(b, c64, 1)) == dtype::complex64);
static_assert(TYPE(abs(c64)) == dtype::float32);
static_assert(TYPE(arg(c128)) == dtype::float64);
static_assert(TYPE(arg(i32)) == dtype::float64);
static_assert(TYPE(abs2(c64)) == dtype::float32);
static_assert(TYPE(abs2(i32)) == dtype::int32);
static_assert(TYPE(real(c128)) == dtype::float64);
static_assert(TYPE(imag(c64 * 2)) == dtype::float32);
static_assert(TYPE(real(i8)) == dtype::int8);
static_assert(TYPE(imag(f16)) == dtype::float16);
static_assert(TYPE(conj(c64)) == dtype::complex64);
static_assert(TYPE(conj(i32)) == dtype::int32);
static_assert(TYPE(sum(c64)) == dtype::complex64);
static_assert(TYPE(prod(c128, axis=0)) == dtype::complex128);
static_assert(TYPE(mean(c64)) == dtype::complex64);
static_assert(TYPE(var(c64)) == dtype::float32);
static_assert(TYPE(norm(c128)) == dtype::float64);
static_assert(TYPE(any(c64)) == dtype::bool_);
static_assert(TYPE(count_nonzero(c64)) == dtype::int64);
static_assert(TYPE(sinter::astype<float>(c64)) == dtype::float32);

// conversions and views
static_assert(TYPE(sinter::astype<float>(i32)) == dtype::float32);
static_assert(TYPE(sinter::astype<std::int8_t>(f64)) == dtype::int8);
static_assert(TYPE(transpose(u8)) == dtype::uint8);
static_assert(TYPE(broadcast_to(b, {3, 4})) == dtype::bool_);
static_assert(TYPE(sinter::broadcast_to(2.5f, {3, 4})) == dtype::float32);

// the C++ types
template <dtype D>
constexpr bool round_trip = sinter::dtype_of<sinter::element_t<D>> == D;
static_assert(round_trip<dtype::bool_> && round_trip<dtype::int8> && round_trip<dtype::int16> &&
              round_trip<dtype::int32> && round_trip<dtype::int64> && round_trip<dtype::uint8> &&
              round_trip<dtype::uint16> && round_trip<dtype::uint32> && round_trip<dtype::uint64> &&
              round_trip<dtype::float32> && round_trip<dtype::float64> && round_trip<dtype::float16> &&
              round_trip<dtype::float8_e4m3> && round_trip<dtype::float8_e5m2> && round_trip<dtype::bfloat16> &&
              round_trip<dtype::complex64> && round_trip<dtype::complex128>);
static_assert(sinter::dtype_of<long> == dtype::int64 && sinter::dtype_of<long long> == dtype::int64);
static_assert(sinter::dtype_of<unsigned long long> == dtype::uint64);
static_assert(!sinter::element_type<long double> && !sinter::element_type<const char*>);
