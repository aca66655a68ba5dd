// Checks each axis separately: the sum of an access's indices along it must be in [0, extent).
#include <codegen/verify/accesses.hpp>
#include <codegen/verify/words.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::device_ir {

void access_checker::check(id expression_at, const statement& s) {
    const expression& e = p.at(expression_at);
    if (e.kind == expression_kind::element) {
        if (p.array_at(e.of).where == space::global)
            check_global(e, s);
        else
            check_local(e, s);
        return;
    }
    if (e.kind == expression_kind::arithmetic && (e.how == arithmetic_kind::select || e.how == arithmetic_kind::both)) {
        check(e.in[0], s);
        const std::size_t before = prove.mark();
        prove.assume(at.of_condition(e.in[0], true));
        check(e.in[1], s);
        prove.take_back(before);
        if (e.how == arithmetic_kind::both) return;
        prove.assume(at.of_condition(e.in[0], false));
        check(e.in[2], s);
        return prove.take_back(before);
    }
    for (id in : e.in)
        if (in != none) check(in, s);
    for (std::size_t i = 0; i < e.arguments.size(); ++i) {
        const function& f = p.function_at(e.of);
        // pointers are the base of gathers, whose indices are not checked
        if (f.parameters[i].how != function_parameter::passed::pointer) check(e.arguments[i], s);
    }
}

void access_checker::view(const statement& s) { views_[static_cast<std::size_t>(s.of)] = position_of(p.at(s.target)); }

access_checker::position access_checker::position_of(const expression& e) {
    position result = views_[static_cast<std::size_t>(e.of)];
    if (result.of == none) {
        const auto is_whole = [&](const kernel_parameter& k) {
            return k.of == e.of && (k.what.what == parameter::kind::output || k.what.what == parameter::kind::input);
        };
        if (!std::any_of(p.parameters.begin(), p.parameters.end(), is_whole)) return {};
        result.of = e.of;
    }
    for (const term& t : e.terms) {
        result.is_gather = result.is_gather || (t.axis < 0 && !p.at(t.index).is_index);
        const auto same = std::find_if(result.along.begin(), result.along.end(), [&](const distance& d) {
            return d.axis == t.axis && (d.stride == none) == (t.stride == none);
        });
        if (same != result.along.end()) {
            same->index = symbols.sum(same->index, at.of(t.index));
            std::rotate(same, same + 1, result.along.end());  // check_global takes the last contiguous one
        } else {
            result.along.push_back({t.axis, t.stride, at.of(t.index)});
        }
    }
    result.shift += e.shift;
    return result;
}

bool access_checker::is_within(const linear_form& index, const linear_form& last) {
    return prove.proves(index) && prove.proves(symbols.sum(last, index, -1));
}

void access_checker::report(id of, const statement& s, const std::string& what) {
    unproved.push_back(fmt::format("'{}': {} of {}", words(p, s), what, p.array_at(of).name));
}

void access_checker::check_global(const expression& e, const statement& s) {
    const position found = position_of(e);
    if (found.of == none) return report(e.of, s, "a position in memory that no axis describes,");
    if (found.is_gather) return;
    std::int64_t further = found.shift, more = e.count - 1;
    for (auto d = found.along.rbegin(); d != found.along.rend(); ++d) {
        if (!at.has_axis(d->axis)) return report(e.of, s, "an index along no axis");
        launch_promises::margin around;
        for (const launch_promises::margin& m : promises.margins)
            if (m.of == found.of && m.axis == d->axis)
                around = {m.of, m.axis, std::max(m.before, around.before), std::max(m.after, around.after)};
        linear_form index = d->index, last = symbols.sum(at.extent(d->axis), around.after - 1);
        if (d->stride == none) {  // the contiguous axis
            index = symbols.sum(index, further);
            last = symbols.sum(last, -more);
            further = more = 0;
        }
        if (!prove.proves(symbols.sum(index, around.before)))
            report(found.of, s, fmt::format("an index below 0 along axis {}", d->axis));
        else if (!prove.proves(symbols.sum(last, index, -1)))
            report(found.of, s, fmt::format("an index beyond axis {}", d->axis));
    }
    if (further != 0 || more != 0) report(e.of, s, "neighbours along no axis");
}

void access_checker::check_box(const statement& s) {
    const expression& e = p.at(s.value);
    const position found = position_of(e);
    if (found.of == none || found.is_gather || found.shift != 0)
        return report(e.of, s, "a position in memory that no axis describes,");
    for (const distance& d : found.along) {
        if (!at.has_axis(d.axis)) return report(e.of, s, "an index along no axis");
        const auto along =
            std::find_if(e.terms.begin(), e.terms.end(), [&](const term& t) { return t.axis == d.axis; });
        if (along == e.terms.end()) return report(e.of, s, "an index along an axis of the view it is in,");
        const linear_form size = at.of(p.at(s.target).terms[static_cast<std::size_t>(along - e.terms.begin())].index);
        if (!prove.proves(d.index)) report(found.of, s, fmt::format("an index below 0 along axis {}", d.axis));
        if (!prove.proves(symbols.sum(symbols.sum(at.extent(d.axis), size, -1), d.index, -1)))
            report(found.of, s, fmt::format("an index beyond axis {}", d.axis));
    }
}

void access_checker::check_local(const expression& e, const statement& s) {
    const array& a = p.array_at(e.of);
    for (std::size_t i = 0; i < e.indices.size(); ++i) {
        const std::int64_t end = i < a.extents.size() ? a.extents[i] : a.packed;
        const bool moves = i + 1 == a.extents.size() && i + 1 == e.indices.size() && a.packed == 1;
        check(e.indices[i], s);
        check_index(e.indices[i], end - (moves ? e.count : 1), e, s);
    }
}

void access_checker::check_index(id index, std::int64_t last, const expression& e, const statement& s) {
    const bool is_register = p.array_at(e.of).where == space::registers;
    if (is_register && !unrolled.is_constant(index))
        refuse(p, s, fmt::format("the index {} of registers is not constant when loops are unrolled", words(p, index)));
    if (is_within(at.of(index), last)) return;
    if (!is_register) return report(e.of, s, fmt::format("the index {}", words(p, index)));
    if (!unrolled.is_always_below(index, last + 1))
        refuse(p, s, fmt::format("the index {} is beyond the registers", words(p, index)));
}

}  // namespace sinter::codegen::device_ir
