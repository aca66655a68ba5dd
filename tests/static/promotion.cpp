// The promotion table, written out: 17 x 17 results. Those of equal kinds, of bool and of floating with complex types
// are the Array API standard's; uint64 with a signed integer is NumPy's; an integer beside a floating or complex type
// gives that type; both 16-bit floating types give float32, both of 8 bits float16.
#include <sinter/dtype.hpp>

namespace {

using sinter::assignable, sinter::dtype, sinter::promote, sinter::promote_weak;

constexpr dtype b = dtype::bool_, i8 = dtype::int8, i16 = dtype::int16, i32 = dtype::int32, i64 = dtype::int64,
                u8 = dtype::uint8, u16 = dtype::uint16, u32 = dtype::uint32, u64 = dtype::uint64,
                e4 = dtype::float8_e4m3, e5 = dtype::float8_e5m2, f16 = dtype::float16, bf16 = dtype::bfloat16,
                f32 = dtype::float32, f64 = dtype::float64, c64 = dtype::complex64, c128 = dtype::complex128;

constexpr dtype all[sinter::dtype_count] = {b,  i8, i16, i32,  i64, u8,  u16, u32, u64,
                                            e4, e5, f16, bf16, f32, f64, c64, c128};

// Rows and columns in the order of `all`.
constexpr dtype table[sinter::dtype_count][sinter::dtype_count] = {
    /* bool       */ {b, i8, i16, i32, i64, u8, u16, u32, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* int8       */ {i8, i8, i16, i32, i64, i16, i32, i64, f64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* int16      */ {i16, i16, i16, i32, i64, i16, i32, i64, f64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* int32      */ {i32, i32, i32, i32, i64, i32, i32, i64, f64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* int64      */ {i64, i64, i64, i64, i64, i64, i64, i64, f64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* uint8      */ {u8, i16, i16, i32, i64, u8, u16, u32, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* uint16     */ {u16, i32, i32, i32, i64, u16, u16, u32, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* uint32     */ {u32, i64, i64, i64, i64, u32, u32, u32, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* uint64     */ {u64, f64, f64, f64, f64, u64, u64, u64, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    /* float8_e4m3 */ {e4, e4, e4, e4, e4, e4, e4, e4, e4, e4, f16, f16, bf16, f32, f64, c64, c128},
    /* float8_e5m2 */ {e5, e5, e5, e5, e5, e5, e5, e5, e5, f16, e5, f16, bf16, f32, f64, c64, c128},
    /* float16    */ {f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32, f32, f64, c64, c128},
    /* bfloat16   */ {bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64, c64, c128},
    /* float32    */ {f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f64, c64, c128},
    /* float64    */ {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, c128, c128},
    /* complex64  */ {c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c128, c64, c128},
    /* complex128 */
    {c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128},
};

constexpr int first_difference() {
    for (int row = 0; row < sinter::dtype_count; ++row)
        for (int column = 0; column < sinter::dtype_count; ++column)
            if (promote(all[row], all[column]) != table[row][column]) return 100 * row + column;
    return -1;
}
static_assert(first_difference() == -1);

// A weak scalar takes the array's dtype when the kind allows; where its kind is a higher one, its own type counts.
// Rows: a bool, an integer, and the floating and complex types.
constexpr dtype weak_table[10][sinter::dtype_count] = {
    {b, i8, i16, i32, i64, u8, u16, u32, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    {i64, i8, i16, i32, i64, u8, u16, u32, u64, e4, e5, f16, bf16, f32, f64, c64, c128},
    {e4, e4, e4, e4, e4, e4, e4, e4, e4, e4, e5, f16, bf16, f32, f64, c64, c128},
    {e5, e5, e5, e5, e5, e5, e5, e5, e5, e4, e5, f16, bf16, f32, f64, c64, c128},
    {f16, f16, f16, f16, f16, f16, f16, f16, f16, e4, e5, f16, bf16, f32, f64, c64, c128},
    {bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, e4, e5, f16, bf16, f32, f64, c64, c128},
    {f32, f32, f32, f32, f32, f32, f32, f32, f32, e4, e5, f16, bf16, f32, f64, c64, c128},
    {f64, f64, f64, f64, f64, f64, f64, f64, f64, e4, e5, f16, bf16, f32, f64, c64, c128},
    {c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c128, c64, c128},
    {c128, c128, c128, c128, c128, c128, c128, c128, c128, c64, c64, c64, c64, c64, c128, c64, c128},
};

constexpr int weak_row(dtype scalar) {
    if (scalar == b) return 0;
    return scalar < e4 ? 1 : static_cast<int>(scalar) - static_cast<int>(e4) + 2;
}

constexpr int first_weak_difference() {
    for (int scalar = 0; scalar < sinter::dtype_count; ++scalar)
        for (int array = 0; array < sinter::dtype_count; ++array)
            if (promote_weak(all[scalar], all[array]) != weak_table[weak_row(all[scalar])][array])
                return 100 * scalar + array;
    return -1;
}
static_assert(first_weak_difference() == -1);

constexpr int kind_row(dtype d) { return d == b ? 0 : d < e4 ? 1 : d < c64 ? 2 : 3; }

// Assignment goes within a kind and upwards: bool, then integers, then floating, then complex types.
constexpr int first_assignable_difference() {
    for (int to = 0; to < sinter::dtype_count; ++to)
        for (int from = 0; from < sinter::dtype_count; ++from)
            if (assignable(all[to], all[from]) != (kind_row(all[from]) <= kind_row(all[to]))) return 100 * to + from;
    return -1;
}
static_assert(first_assignable_difference() == -1);

constexpr bool sizes_fit() {
    return size_of(b) == 1 && size_of(i8) == 1 && size_of(i16) == 2 && size_of(i32) == 4 && size_of(i64) == 8 &&
           size_of(u8) == 1 && size_of(u16) == 2 && size_of(u32) == 4 && size_of(u64) == 8 && size_of(f32) == 4 &&
           size_of(f64) == 8 && size_of(e4) == 1 && size_of(e5) == 1 && size_of(f16) == 2 && size_of(bf16) == 2 &&
           size_of(c64) == 8 && size_of(c128) == 16;
}
static_assert(sizes_fit());

}  // namespace
