// Interval arithmetic over the rows of a tile. It has 64 bits and values below index_limit(): it cannot overflow.
#include <codegen/lower/index_range.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void index_ranges::demand(const scalar& condition) { holds_ = holds_.at != none ? holds_ && condition : condition; }

index_range index_ranges::within(const index_set& s, bool all) {
    const limits found = limits_of(s, all);
    const scalar zero = c.b.integer(0, dtype::int64), extent = c.b.index_cast(dtype::int64, extent_);
    index_range r{zero, extent};
    if (found.is_empty) r.end = zero;
    if (found.low.at != none && !found.is_empty) r.first = least(named("low", greatest(found.low, zero)), extent);
    if (found.high.at != none && !found.is_empty) r.end = least(named("high", greatest(found.high + 1, zero)), extent);
    if (holds_.at != none) {
        const scalar known = c.b.let_index(c.unique("known"), dtype::bool_, holds_);
        if (!all) r.first = c.b.select(known, r.first, zero);
        r.end = c.b.select(known, r.end, all ? zero : extent);
    }
    for (scalar* one : {&r.first, &r.end}) *one = c.b.index_cast(c.index_type(), *one);
    return r;
}

index_ranges::limits index_ranges::limits_of(const index_set& s, bool all) {
    switch (s.what) {
        case index_set::kind::unknown: return {{}, {}, all};
        case index_set::kind::from: return {named("from", extreme(s.bound, all)), {}, false};
        case index_set::kind::up_to: return {{}, named("up_to", extreme(s.bound, !all)), false};
        default: break;
    }
    const bool both = s.what == index_set::kind::both;
    if (all && !both) return {{}, {}, true};  // what two ranges have between them is in neither
    limits made = limits_of(s.parts[0], all);
    for (std::size_t i = 1; i < s.parts.size(); ++i) {
        const limits next = limits_of(s.parts[i], all);
        made.is_empty = made.is_empty || next.is_empty;
        // in both: the tighter one of the limits that there are; in either: none unless both have one
        const auto joined = [&](const scalar& a, const scalar& b, bool greater) {
            if (a.at != none && b.at != none) return greater ? greatest(a, b) : least(a, b);
            return !both ? scalar{} : a.at != none ? a : b;
        };
        made.low = joined(made.low, next.low, both);
        made.high = joined(made.high, next.high, !both);
        if (made.low.at != none) made.low = named("low", made.low);
        if (made.high.at != none) made.high = named("high", made.high);
    }
    return made;
}

scalar index_ranges::extreme(const affine_form& f, bool highest) {
    scalar sum = c.b.integer(f.constant, dtype::int64);
    for (const affine_form::summand& s : f.of) {
        const scalar one = end_of(s.value, (s.sign > 0) == highest);
        sum = s.sign > 0 ? sum + one : sum - one;
    }
    return sum;
}

/// The least or greatest that a value is for the rows.
scalar index_ranges::end_of(int v, bool highest) {
    const value& self = c.at(v);
    if (self.what != value_kind::index) {
        const scalar x = c.b.index_cast(dtype::int64, c.operand(v));
        if (std::find(checked_.begin(), checked_.end(), v) == checked_.end()) {
            checked_.push_back(v);
            const std::int64_t limit = index_limit(self.type);
            demand(x < c.b.integer(limit, dtype::int64) && c.b.integer(-limit, dtype::int64) < x);
        }
        return x;
    }
    const step along = step_of(c.k, self.at, rows_.axis);
    const auto at_row = [&](const scalar& row) {
        c.set_index(rows_.axis, row);
        return c.b.index_cast(dtype::int64, c.sum_of(c.terms(self.at, c.k.outer)));
    };
    if (along != step::general) return at_row(along == step::none || !highest ? rows_.first : rows_.last);
    const scalar a = named("at_first", at_row(rows_.first)), b = named("at_last", at_row(rows_.last));
    return highest ? greatest(a, b) : least(a, b);
}

}  // namespace sinter::codegen::lower
