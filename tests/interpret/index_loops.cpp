// One loop per operation and integer type.
#include <tests/interpret/index_loops.hpp>

#include <codegen/device/program.hpp>

#include <limits>
#include <type_traits>

namespace sinter::interpret {
namespace {

using codegen::device_ir::arithmetic_kind;

/// The result, and whether C++ defines it.
template <arithmetic_kind How, class T>
[[gnu::always_inline]] inline auto apply(T a, T b, bool& defined) {
    using kind = arithmetic_kind;
    if constexpr (How == kind::add || How == kind::subtract || How == kind::multiply) {
        T result;
        bool wraps = false;
        if constexpr (How == kind::add) wraps = __builtin_add_overflow(a, b, &result);
        if constexpr (How == kind::subtract) wraps = __builtin_sub_overflow(a, b, &result);
        if constexpr (How == kind::multiply) wraps = __builtin_mul_overflow(a, b, &result);
        defined = !std::is_signed_v<T> || !wraps;
        return result;
    } else if constexpr (How == kind::divide || How == kind::remainder) {
        defined = b != 0 && !(std::is_signed_v<T> && b == T(-1) && a == std::numeric_limits<T>::min());
        if (!defined) return T(0);
        return How == kind::divide ? T(a / b) : T(a % b);
    } else if constexpr (How == kind::shift_right) {
        defined = b >= 0 && static_cast<std::uint64_t>(b) < 8 * sizeof(T);
        return defined ? T(a >> b) : T(0);
    } else {
        defined = true;
        if constexpr (How == kind::less) return a < b;
        if constexpr (How == kind::less_equal) return a <= b;
        if constexpr (How == kind::greater) return a > b;
        if constexpr (How == kind::greater_equal) return a >= b;
        if constexpr (How == kind::equal) return a == b;
    }
}

template <arithmetic_kind How, class T>
lane_mask run(void* to, const void* x, const void* y, lane_mask active) {
    using result = decltype(apply<How, T>(T(), T(), std::declval<bool&>()));
    auto* out = static_cast<result*>(to);
    const auto* a = static_cast<const T*>(x);
    const auto* b = static_cast<const T*>(y);
    lane_mask undefined = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        bool defined = true;
        out[lane] = apply<How, T>(a[lane], b[lane], defined);
        undefined |= static_cast<lane_mask>(!defined) << lane;
    }
    return undefined & active;
}

template <class T>
index_loop loop_in(arithmetic_kind how) {
    using kind = arithmetic_kind;
    switch (how) {
        case kind::add: return run<kind::add, T>;
        case kind::subtract: return run<kind::subtract, T>;
        case kind::multiply: return run<kind::multiply, T>;
        case kind::divide: return run<kind::divide, T>;
        case kind::remainder: return run<kind::remainder, T>;
        case kind::shift_right: return run<kind::shift_right, T>;
        case kind::less: return run<kind::less, T>;
        case kind::less_equal: return run<kind::less_equal, T>;
        case kind::greater: return run<kind::greater, T>;
        case kind::greater_equal: return run<kind::greater_equal, T>;
        case kind::equal: return run<kind::equal, T>;
        default: return nullptr;  // handled by the interpreter: their operands are not evaluated in all lanes
    }
}

template <class T>
void divide(void* to, const void* i, const void* multiplier, const void* shift) {
    __extension__ using wide = unsigned __int128;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const T n = static_cast<const T*>(i)[lane], m = static_cast<const T*>(multiplier)[lane];
        const int bits = static_cast<const std::int32_t*>(shift)[lane];
        const T high = static_cast<T>(static_cast<wide>(n) * m >> (8 * sizeof(T)));
        static_cast<T*>(to)[lane] = static_cast<T>(high + n) >> (bits & (8 * static_cast<int>(sizeof(T)) - 1));
    }
}

template <class T>
std::int64_t at(const char* lanes, int lane) {
    T value;
    std::memcpy(&value, lanes + sizeof(T) * static_cast<std::size_t>(lane), sizeof value);
    return static_cast<std::int64_t>(value);
}

}  // namespace

dtype common_type(dtype a, dtype b) {
    const auto promoted = [](dtype t) { return size_of(t) < 4 ? dtype::int32 : t; };
    const auto rank = [](dtype t) { return 2 * size_of(t) + (kind_of(t) == dtype_kind::unsigned_integer ? 1 : 0); };
    a = promoted(a);
    b = promoted(b);
    return rank(a) >= rank(b) ? a : b;
}

index_loop loop_of(arithmetic_kind how, dtype computed) {
    switch (computed) {
        case dtype::int32: return loop_in<std::int32_t>(how);
        case dtype::uint32: return loop_in<std::uint32_t>(how);
        case dtype::int64: return loop_in<std::int64_t>(how);
        case dtype::uint64: return loop_in<std::uint64_t>(how);
        default: return nullptr;
    }
}

void divide_by_multiplying(dtype type, void* out, const void* i, const void* multiplier, const void* shift) {
    (type == dtype::uint32 ? divide<std::uint32_t> : divide<std::uint64_t>)(out, i, multiplier, shift);
}

std::int64_t index_at(dtype type, const char* lanes, int lane) {
    switch (type) {
        case dtype::bool_:
        case dtype::uint8: return at<std::uint8_t>(lanes, lane);
        case dtype::int8: return at<std::int8_t>(lanes, lane);
        case dtype::uint16: return at<std::uint16_t>(lanes, lane);
        case dtype::int16: return at<std::int16_t>(lanes, lane);
        case dtype::uint32: return at<std::uint32_t>(lanes, lane);
        case dtype::int32: return at<std::int32_t>(lanes, lane);
        default: return at<std::int64_t>(lanes, lane);
    }
}

}  // namespace sinter::interpret
