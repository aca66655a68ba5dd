// C++ integer arithmetic on the lanes of a warp.
#include <codegen/cost/warp_values.hpp>

namespace sinter::codegen {
namespace {

using device_ir::arithmetic_kind;

__extension__ using wide_product = unsigned __int128;

std::int64_t in_type(dtype type, std::int64_t n) {
    switch (type) {
        case dtype::bool_: return n != 0;
        case dtype::int32: return static_cast<std::int32_t>(n);
        case dtype::uint32: return static_cast<std::uint32_t>(n);
        default: return n;
    }
}

template <class F>
warp_value of_lanes(dtype type, const warp_value& a, const warp_value& b, F f) {
    warp_value to{true, {}};
    for (int lane = 0; lane < warp_lanes; ++lane) to[lane] = in_type(type, f(a[lane], b[lane]));
    return to;
}

/// Whether a condition is false in all lanes.
bool fails(const warp_value& v) { return v.is_known && v.truths() == 0; }

}  // namespace

warp_value converted(dtype type, const warp_value& v) {
    warp_value to = v;
    for (std::int64_t& n : to.lanes) n = in_type(type, n);
    return to;
}

warp_value combined(arithmetic_kind how, dtype type, const warp_value& a, const warp_value& b) {
    if (how == arithmetic_kind::both && (fails(a) || fails(b))) return warp_value::of(0);
    if (!a.is_known || !b.is_known) {
        warp_value unknown;
        unknown.is_of_indices = !a.depends_on_data() && !b.depends_on_data();
        unknown.is_uniform = a.is_same_in_all_lanes() && b.is_same_in_all_lanes();
        return unknown;
    }
    const auto each = [&](auto f) { return of_lanes(type, a, b, f); };
    using number = std::int64_t;
    switch (how) {
        case arithmetic_kind::add: return each([](number x, number y) { return x + y; });
        case arithmetic_kind::subtract: return each([](number x, number y) { return x - y; });
        case arithmetic_kind::multiply: return each([](number x, number y) { return x * y; });
        case arithmetic_kind::divide: return each([](number x, number y) { return y == 0 ? 0 : x / y; });
        case arithmetic_kind::remainder: return each([](number x, number y) { return y == 0 ? 0 : x % y; });
        case arithmetic_kind::less: return each([](number x, number y) { return x < y; });
        case arithmetic_kind::less_equal: return each([](number x, number y) { return x <= y; });
        case arithmetic_kind::greater: return each([](number x, number y) { return x > y; });
        case arithmetic_kind::greater_equal: return each([](number x, number y) { return x >= y; });
        case arithmetic_kind::equal: return each([](number x, number y) { return x == y; });
        case arithmetic_kind::both: return each([](number x, number y) { return x != 0 && y != 0; });
        case arithmetic_kind::shift_right: return each([](number x, number y) { return x >> y; });
        case arithmetic_kind::select:
        case arithmetic_kind::negation: break;
    }
    return {};
}

warp_value negated(const warp_value& condition) {
    warp_value to{condition.is_known, {}};
    for (int lane = 0; lane < warp_lanes; ++lane) to[lane] = condition[lane] == 0;
    return to;
}

warp_value chosen(const warp_value& condition, const warp_value& yes, const warp_value& no) {
    warp_value to{condition.is_known && yes.is_known && no.is_known, {}};
    for (int lane = 0; lane < warp_lanes; ++lane) to[lane] = condition[lane] != 0 ? yes[lane] : no[lane];
    return to;
}

warp_value quotients(const warp_value& n, const warp_value& multiplier, const warp_value& shift, bool wide) {
    warp_value to{n.is_known && multiplier.is_known && shift.is_known, {}};
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const auto of = static_cast<std::uint64_t>(n[lane]);
        const auto high = static_cast<std::uint64_t>(wide_product{of} * static_cast<std::uint64_t>(multiplier[lane]) >>
                                                     (wide ? 64 : 32));
        to[lane] = static_cast<std::int64_t>((high + of) >> shift[lane]);
    }
    return to;
}

}  // namespace sinter::codegen
