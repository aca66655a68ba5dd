// What elementwise operations give of integers and bools: one value, wrapped to the dtype's width.
#include <tests/fuzz/tables.hpp>

#include <bit>
#include <cstdlib>

namespace sinter::fuzz {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;
using integers = i64 (*)(i64 x, i64 y, i64 z, dtype type);

template <auto F, int Arity>
known of_integers(dtype type, const known* in) {
    i64 at[3] = {};
    for (int i = 0; i < Arity; ++i) {
        if (!in[i].is_sure()) return unknown();
        at[i] = in[i].integer;
    }
    return whole(wrapped(type, F(at[0], at[1], at[2], type)));
}

i64 wrapping(u64 x) { return static_cast<i64>(x); }
bool less_than(i64 x, i64 y, dtype type) {
    return kind_of(type) == dtype_kind::signed_integer ? x < y : static_cast<u64>(x) < static_cast<u64>(y);
}
bool below_zero(i64 x, dtype type) { return less_than(x, 0, type); }
int width(dtype type) { return static_cast<int>(8 * size_of(type)); }
/// Without the sign; the lowest number of a width has none that would fit.
u64 magnitude(i64 x, dtype type) { return below_zero(x, type) ? 0 - static_cast<u64>(x) : static_cast<u64>(x); }

/// Of the quotient rounded towards zero. Nothing is left of a division by nothing.
i64 truncated_remainder(i64 x, i64 y, dtype type) {
    if (y == 0) return 0;
    const u64 left = magnitude(x, type) % magnitude(y, type);
    return wrapping(below_zero(x, type) ? 0 - left : left);
}
i64 floored_remainder(i64 x, i64 y, dtype type) {
    const i64 left = truncated_remainder(x, y, type);
    return left != 0 && below_zero(x, type) != below_zero(y, type) ? left + y : left;
}
i64 floored_quotient(i64 x, i64 y, dtype type) {
    if (y == 0) return 0;
    const u64 size = magnitude(x, type) / magnitude(y, type);
    if (below_zero(x, type) == below_zero(y, type)) return wrapping(size);
    return wrapping(0 - size) - (truncated_remainder(x, y, type) != 0 ? 1 : 0);
}
u64 greatest_divisor(u64 x, u64 y) {
    while (y != 0) {
        const u64 left = x % y;
        x = y;
        y = left;
    }
    return x;
}
/// Where the lowest number of a width is an operand nothing is said: its size does not fit, and the rest follows.
known least_multiple(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure()) return unknown();
    const u64 x = magnitude(in[0].integer, type), y = magnitude(in[1].integer, type);
    const u64 lowest = u64{1} << (width(type) - 1);
    if (kind_of(type) == dtype_kind::signed_integer && (x == lowest || y == lowest)) return unknown();
    return whole(wrapped(type, x == 0 || y == 0 ? 0 : wrapping(x / greatest_divisor(x, y) * y)));
}

i64 shifted_left(i64 x, i64 y, dtype type) {
    return static_cast<u64>(y) < static_cast<u64>(width(type)) ? wrapping(static_cast<u64>(x) << y) : 0;
}
i64 shifted_right(i64 x, i64 y, dtype type) {
    if (static_cast<u64>(y) >= static_cast<u64>(width(type))) return below_zero(x, type) ? -1 : 0;
    return below_zero(x, type) ? x >> y : wrapping(static_cast<u64>(x) >> y);
}
u64 own_bits(i64 x, dtype type) {
    return width(type) == 64 ? static_cast<u64>(x) : static_cast<u64>(x) & ((u64{1} << width(type)) - 1);
}

/// x held between y and z, and z where y is beyond it.
known clipped(dtype type, const known* in) {
    for (int i = 0; i < 3; ++i)
        if (!in[i].is_sure()) return unknown();
    const i64 x = in[0].integer, y = in[1].integer, z = in[2].integer;
    const i64 above = less_than(x, y, type) ? y : x;
    return whole(less_than(z, above, type) ? z : above);
}

/// Index x among the z elements of a part that begins at y. In another part it is any index: what is read there is not
/// selected.
known index_in_part(dtype type, const known* in) {
    for (int i = 0; i < 3; ++i)
        if (!in[i].is_sure()) return unknown();
    const i64 x = in[0].integer, y = in[1].integer, z = in[2].integer;
    return less_than(x, y, type) || !less_than(x - y, z, type) ? unknown() : whole(x - y);
}

/// The number with these bytes.
known number_of(dtype type, const known* in) {
    if (!in[0].is_sure()) return unknown();
    return read(result_of(dtype_rule::of_bits, type), {own_bits(in[0].integer, type)});
}

#define I1(name, value)                                                                               \
    {                                                                                                 \
        #name, of_integers<[](i64 x, i64, i64, [[maybe_unused]] dtype t) -> i64 { return value; }, 1> \
    }
#define I2(name, value)                                                                                 \
    {                                                                                                   \
        #name, of_integers<[](i64 x, i64 y, i64, [[maybe_unused]] dtype t) -> i64 { return value; }, 2> \
    }
#define I3(name, value)                                                                                   \
    {                                                                                                     \
        #name, of_integers<[](i64 x, i64 y, i64 z, [[maybe_unused]] dtype t) -> i64 { return value; }, 3> \
    }
#define U(x) static_cast<u64>(x)

constexpr meaning rows[] = {
    I1(negative, wrapping(0 - U(x))),
    I2(add, wrapping(U(x) + U(y))),
    I2(index_in_window, wrapping(U(x) + U(y))),
    {"index_of_part", index_in_part},
    I3(index_rolled, x < y ? x - y + z : x - y),
    I2(subtract, wrapping(U(x) - U(y))),
    I2(multiply, wrapping(U(x) * U(y))),
    I2(remainder, floored_remainder(x, y, t)),
    I2(floor_divide, floored_quotient(x, y, t)),
    I2(fmod, truncated_remainder(x, y, t)),
    I1(abs, wrapping(magnitude(x, t))),
    I1(sign, x == 0             ? 0
             : below_zero(x, t) ? -1
                                : 1),
    I1(square, wrapping(U(x) * U(x))),
    I2(maximum, less_than(x, y, t) ? y : x),
    I2(minimum, less_than(x, y, t) ? x : y),
    I2(fmax, less_than(x, y, t) ? y : x),
    I2(fmin, less_than(x, y, t) ? x : y),
    {"clip", clipped},
    I2(gcd, wrapping(greatest_divisor(magnitude(x, t), magnitude(y, t)))),
    {"lcm", least_multiple},

    I2(less, less_than(x, y, t)),
    I2(less_equal, !less_than(y, x, t)),
    I2(greater, less_than(y, x, t)),
    I2(greater_equal, !less_than(x, y, t)),
    I2(equal, x == y),
    I2(not_equal, x != y),
    I1(isnan, x * 0),
    I1(isinf, x * 0),
    I1(isfinite, x * 0 + 1),
    I1(signbit, below_zero(x, t)),
    I2(logical_and, x != 0 && y != 0),
    I2(logical_or, x != 0 || y != 0),
    I2(logical_xor, (x != 0) != (y != 0)),
    I1(logical_not, x == 0),
    I2(bitwise_and, x& y),
    I2(bitwise_or, x | y),
    I2(bitwise_xor, x ^ y),
    I1(invert, t == dtype::bool_ ? 1 - x : ~x),
    I2(left_shift, shifted_left(x, y, t)),
    I2(right_shift, shifted_right(x, y, t)),
    I1(popcount, std::popcount(own_bits(x, t))),
    I1(clz, std::countl_zero(own_bits(x, t)) - (64 - width(t))),
    {"of_bits", number_of},
};

}  // namespace

rule integer_rule(const char* op) { return find(rows, op); }

}  // namespace sinter::fuzz
