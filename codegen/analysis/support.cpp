// Reads conditions from the selected operand down to the comparisons of indices.
#include <codegen/analysis/support.hpp>

#include <sinter/op/builtin.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

using kind = index_set::kind;

index_set joined(kind how, index_set a, index_set b) {
    if (how == kind::both && a.what == kind::unknown) return b;
    if (how == kind::both && b.what == kind::unknown) return a;
    index_set made;
    if (how == kind::either && (a.what == kind::unknown || b.what == kind::unknown)) return made;
    made.what = how;
    made.parts.push_back(std::move(a));
    made.parts.push_back(std::move(b));
    return made;
}

/// index * along + rest, as the program computes it in an integer type.
struct linear {
    int along = 0;
    affine_form rest;
    int unbounded = 0;  ///< summands of unknown magnitude
};

linear combined(linear a, const linear& b, int sign) {
    a.along += sign * b.along;
    a.rest.constant += sign * b.rest.constant;
    for (affine_form::summand s : b.rest.of) a.rest.of.push_back({s.value, sign * s.sign});
    a.unbounded += b.unbounded;
    return a;
}

enum class order : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

order order_if_false(order o) {
    switch (o) {
        case order::less: return order::greater_equal;
        case order::less_equal: return order::greater;
        case order::greater: return order::less_equal;
        case order::greater_equal: return order::less;
        case order::equal: return order::not_equal;
        default: return order::equal;
    }
}

/// Of the exchanged or negated operands.
order mirrored(order o) {
    switch (o) {
        case order::less: return order::greater;
        case order::less_equal: return order::greater_equal;
        case order::greater: return order::less;
        case order::greater_equal: return order::less_equal;
        default: return o;
    }
}

class support_reader {
public:
    support_reader(const loop_nest& k, std::uint32_t along, std::uint32_t tile) : k_(k), along_(along), tile_(tile) {}

    support read(int v) {
        found_.indices = of_value(v, false);
        return std::move(found_);
    }

    support read_nonzero(int v) {
        found_.indices = of_nonzero(v);
        return std::move(found_);
    }

private:
    const value& at(int v) const { return k_.values[static_cast<std::size_t>(v)]; }
    bool varies(int v, std::uint32_t axes) const { return (at(v).varies & axes) != 0; }
    bool is_op(int v, builtin_op op) const {
        return at(v).what == value_kind::elementwise && at(v).op->builtin == static_cast<int>(op);
    }

    // ---- the operand ----

    /// `computed`: the operand is computed of this value and others.
    index_set of_value(int v, bool computed) {
        const value& self = at(v);
        if (!is_floating(self.type)) return {};
        if (self.what == value_kind::cast) return of_value(self.in[0], true);
        if (is_op(v, builtin_op::where)) return of_selection(v, computed);
        if (is_op(v, builtin_op::add)) {
            index_set first = of_value(self.in[0], true);
            return joined(kind::both, std::move(first), of_value(self.in[1], true));
        }
        if (is_op(v, builtin_op::subtract)) return of_value(self.in[0], true);
        return {};
    }

    index_set of_selection(int v, bool computed) {
        const auto [condition, yes, no] = at(v).in;
        const bool otherwise = is_mask(no) && !(is_mask(yes) && is_zero(no));
        if (!otherwise && !is_mask(yes)) return {};
        const int kept = otherwise ? yes : no;
        index_set here = of_condition(condition, otherwise);
        if (here.what == kind::unknown) return of_value(kept, computed);
        found_.selections.push_back({v, kept, otherwise ? no : yes, computed, false});
        return joined(kind::both, std::move(here), of_value(kept, computed));
    }

    // ---- where a value is not 0 ----

    index_set of_nonzero(int v) {
        const value& self = at(v);
        if (!is_floating(self.type)) return {};
        if (self.what == value_kind::cast) return of_nonzero(self.in[0]);
        if (is_op(v, builtin_op::negative) || is_op(v, builtin_op::divide)) return of_nonzero(self.in[0]);
        if (is_op(v, builtin_op::exp)) return of_value(self.in[0], true);
        if (is_op(v, builtin_op::multiply)) {
            index_set first = of_nonzero(self.in[0]);
            return joined(kind::both, std::move(first), of_nonzero(self.in[1]));
        }
        if (!is_op(v, builtin_op::where)) return {};
        const auto [condition, yes, no] = self.in;
        if (!is_zero(yes) && !is_zero(no)) return {};
        const int kept = is_zero(no) ? yes : no;
        index_set here = of_condition(condition, is_zero(no));
        if (here.what == kind::unknown) return of_nonzero(kept);
        found_.selections.push_back({v, kept, is_zero(no) ? no : yes, false, true});
        return joined(kind::both, std::move(here), of_nonzero(kept));
    }

    /// Whether a value may be what a mask puts in place of elements: one number for all of them.
    bool is_mask(int v) const {
        const value& self = at(v);
        return self.what == value_kind::constant || self.what == value_kind::scalar ||
               (self.what == value_kind::cast && is_mask(self.in[0]));
    }
    bool is_zero(int v) const {
        return at(v).what == value_kind::cast ? is_zero(at(v).in[0])
                                              : at(v).what == value_kind::constant && at(v).bits == 0;
    }

    // ---- conditions ----

    index_set of_condition(int v, bool holds) {
        const value& self = at(v);
        if (self.type != dtype::bool_ || self.what != value_kind::elementwise) return {};
        if (is_op(v, builtin_op::logical_not) || is_op(v, builtin_op::invert)) return of_condition(self.in[0], !holds);
        const bool all = is_op(v, builtin_op::logical_and) || is_op(v, builtin_op::bitwise_and);
        if (all || is_op(v, builtin_op::logical_or) || is_op(v, builtin_op::bitwise_or)) {
            index_set first = of_condition(self.in[0], holds);
            return joined(all == holds ? kind::both : kind::either, std::move(first), of_condition(self.in[1], holds));
        }
        constexpr std::pair<builtin_op, order> orders[] = {
            {builtin_op::less, order::less},       {builtin_op::less_equal, order::less_equal},
            {builtin_op::greater, order::greater}, {builtin_op::greater_equal, order::greater_equal},
            {builtin_op::equal, order::equal},     {builtin_op::not_equal, order::not_equal}};
        for (const auto& [op, o] : orders)
            if (is_op(v, op)) return compared(self.in[0], holds ? o : order_if_false(o), self.in[1]);
        return {};
    }

    index_set compared(int a, order o, int b) {
        if (is_op(b, builtin_op::abs) && !is_op(a, builtin_op::abs)) return compared(b, mirrored(o), a);
        const std::optional<linear> right = linear_of(b);
        const std::optional<linear> left = linear_of(is_op(a, builtin_op::abs) ? at(a).in[0] : a);
        if (!left || !right || left->unbounded > 1 || right->unbounded > 1) return {};
        if (!is_op(a, builtin_op::abs)) return solved(combined(*left, *right, -1), o);
        // |f| < b is f < b and -f < b; |f| > b is either of f > b and -f > b
        const bool within = o == order::less || o == order::less_equal;
        if (!within && o != order::greater && o != order::greater_equal) return {};
        index_set above = solved(combined(*left, *right, -1), o);
        index_set below = solved(combined(*left, *right, 1), mirrored(o));
        return joined(within ? kind::both : kind::either, std::move(above), std::move(below));
    }

    /// The indices for which the form compares so with 0.
    static index_set solved(linear f, order o) {
        if (f.along == -1) {
            f = combined({}, f, -1);
            o = mirrored(o);
        }
        if (f.along != 1 || o == order::not_equal) return {};
        f = combined({}, {0, f.rest, 0}, -1);
        const auto bounded = [&](kind what, std::int64_t more) {
            index_set made;
            made.what = what;
            made.bound = f.rest;
            made.bound.constant += more;
            return made;
        };
        switch (o) {
            case order::less: return bounded(kind::up_to, -1);
            case order::less_equal: return bounded(kind::up_to, 0);
            case order::greater: return bounded(kind::from, 1);
            case order::greater_equal: return bounded(kind::from, 0);
            default: return joined(kind::both, bounded(kind::from, 0), bounded(kind::up_to, 0));
        }
    }

    // ---- integers ----

    std::optional<linear> linear_of(int v) {
        const value& self = at(v);
        if (!is_integer(self.type) || self.type == dtype::uint64) return std::nullopt;
        if (self.what == value_kind::index) return of_index(v);
        if (self.what == value_kind::constant) return linear{0, {{}, number(self)}, 0};
        if (self.what == value_kind::cast && keeps_values(at(self.in[0]).type, self.type)) return linear_of(self.in[0]);
        const bool computes = self.type == dtype::int32 || self.type == dtype::int64;
        const bool adds = is_op(v, builtin_op::add), subtracts = is_op(v, builtin_op::subtract);
        if (computes && (adds || subtracts)) {
            const std::optional<linear> a = linear_of(self.in[0]), b = linear_of(self.in[1]);
            if (a && b) return combined(*a, *b, adds ? 1 : -1);
            return std::nullopt;
        }
        if (varies(v, along_ | tile_) || self.loop != group_level || self.stage != 0) return std::nullopt;
        return linear{0, {{{v, 1}}, 0}, 1};
    }

    std::optional<linear> of_index(int v) const {
        const value& self = at(v);
        if (self.type != dtype::int32 && self.type != dtype::int64) return std::nullopt;
        const layout& l = k_.layouts[static_cast<std::size_t>(self.at)];
        const layout_reach reach = reach_of(k_, self.at);
        if (std::max(reach.above, reach.below) >= index_limit(self.type)) return std::nullopt;
        linear made;
        for (std::size_t axis = 0; axis < k_.extents.size(); ++axis) {
            if (l.stride[axis] == 0) continue;
            if ((along_ >> axis & 1) == 0) {
                made.rest.of = {{v, 1}};
                continue;
            }
            if (l.stride[axis] != 1 || made.along != 0) return std::nullopt;
            made.along = 1;
        }
        return made;
    }

    static std::int64_t number(const value& constant) {
        const bool is_signed = kind_of(constant.type) == dtype_kind::signed_integer;
        const int unused = 64 - static_cast<int>(8 * size_of(constant.type));
        const std::uint64_t high = constant.bits << unused;
        return is_signed ? static_cast<std::int64_t>(high) >> unused : static_cast<std::int64_t>(high >> unused);
    }

    static bool keeps_values(dtype from, dtype to) {
        if (!is_integer(from)) return false;
        const bool from_signed = kind_of(from) == dtype_kind::signed_integer;
        const bool to_signed = kind_of(to) == dtype_kind::signed_integer;
        return from_signed == to_signed ? size_of(from) <= size_of(to) : to_signed && size_of(from) < size_of(to);
    }

    const loop_nest& k_;
    const std::uint32_t along_, tile_;
    support found_;
};

}  // namespace

support support_of(const loop_nest& k, int v, std::uint32_t along, std::uint32_t tile) {
    return support_reader(k, along, tile).read(v);
}

support nonzero_support_of(const loop_nest& k, int v, std::uint32_t along, std::uint32_t tile) {
    return support_reader(k, along, tile).read_nonzero(v);
}

bool is_limited(const index_set& s) { return s.what != index_set::kind::unknown; }

}  // namespace sinter::codegen
