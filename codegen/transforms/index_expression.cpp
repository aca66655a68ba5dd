// Sums of index terms, delinearization and simplification.
#include <codegen/transforms/index_expression.hpp>

#include <algorithm>
#include <optional>

namespace sinter::codegen {
namespace {

void sort_terms(index_expression& c) {
    std::sort(c.terms.begin(), c.terms.end());
    auto last = c.terms.begin();  // of the merged terms, past the end
    for (const index_term& t : c.terms) {
        if (last != c.terms.begin() && last[-1].of == t.of && last[-1].id == t.id)
            last[-1].step += t.step;
        else
            *last++ = t;
    }
    c.terms.erase(last, c.terms.end());
    std::erase_if(c.terms, [](const index_term& t) { return t.step == 0; });
}

/// (whole / divide) % modulo as a sum of terms: possible if every term is a multiple of `divide`, up to a rest below
/// it.
std::optional<index_expression> simple_delinearized(const index_expression& whole, std::int64_t divide,
                                                    std::int64_t modulo, const std::vector<std::int64_t>& extents) {
    index_expression quotient;
    std::int64_t rest = whole.start % divide;
    quotient.start = whole.start / divide;
    for (const index_term& t : whole.terms) {
        if (t.step % divide == 0)
            quotient.terms.push_back({t.of, t.id, t.step / divide});
        else if (t.of == index_term::kind::axis && t.step > 0)
            rest += t.step * (extents[static_cast<std::size_t>(t.id)] - 1);
        else
            return std::nullopt;
    }
    if (whole.start < 0 || rest >= divide) return std::nullopt;
    if (modulo == 0) return quotient;
    // multiples of the modulus vanish; the other terms must stay below it
    index_expression left;
    left.start = quotient.start % modulo;
    std::int64_t most = left.start;
    for (const index_term& t : quotient.terms) {
        if (t.step % modulo == 0) continue;
        if (t.of != index_term::kind::axis || t.step < 0) return std::nullopt;
        most += t.step * (extents[static_cast<std::size_t>(t.id)] - 1);
        left.terms.push_back(t);
    }
    if (most >= modulo) return std::nullopt;
    return left;
}

}  // namespace

index_expression along_axis(int axis) { return {0, {{index_term::kind::axis, axis, 1}}}; }
index_expression value_of(int value) { return {0, {{index_term::kind::value, value, 1}}}; }

index_expression scaled(const index_expression& c, std::int64_t step, std::int64_t start) {
    index_expression out{start + step * c.start, c.terms};
    for (index_term& t : out.terms) t.step *= step;
    sort_terms(out);
    return out;
}

index_expression sum_of(const index_expression& a, const index_expression& b) {
    index_expression out{a.start + b.start, a.terms};
    out.terms.insert(out.terms.end(), b.terms.begin(), b.terms.end());
    sort_terms(out);
    return out;
}

void delinearization::split(const index_expression& whole, const std::int64_t* shape, int count,
                            const std::vector<std::int64_t>& extents, index_expression* into) {
    struct wanted {
        int axis;
        std::int64_t divide, modulo;
    };
    std::vector<wanted> parts;
    std::int64_t divide = 1;
    for (int a = count - 1; a >= 0; --a) {
        if (shape[a] != 1) parts.push_back({a, divide, shape[a]});
        divide *= shape[a];
    }
    if (!parts.empty()) parts.back().modulo = 0;  // the slowest one needs no modulo
    std::vector<index_expression> plain;
    for (const wanted& w : parts)
        if (const auto c = simple_delinearized(whole, w.divide, w.modulo, extents)) plain.push_back(*c);
    if (plain.size() == parts.size()) {
        for (std::size_t i = 0; i < parts.size(); ++i) into[parts[i].axis] = plain[i];
        return;
    }
    const int first = static_cast<int>(all_.size());
    for (const wanted& w : parts) {
        into[w.axis] = {0, {{index_term::kind::delinearized, static_cast<int>(all_.size()), 1}}};
        all_.push_back({whole, w.divide, w.modulo, first, static_cast<int>(parts.size())});
    }
}

index_expression delinearization::joined(index_expression c) const {
    for (bool again = true; again;) {
        again = false;
        for (const index_term& t : c.terms) {
            if (t.of != index_term::kind::delinearized) continue;
            const delinearized_index& d = (*this)[t.id];
            if (t.step % d.divide != 0) continue;
            const std::int64_t unit = t.step / d.divide;
            const auto whole = [&](int id) {
                return std::any_of(c.terms.begin(), c.terms.end(), [&](const index_term& other) {
                    return other.of == index_term::kind::delinearized && other.id == id &&
                           other.step == unit * (*this)[id].divide;
                });
            };
            bool all = true;
            for (int id = d.first; id < d.first + d.count; ++id) all = all && whole(id);
            if (!all) continue;
            const int first = d.first, past = d.first + d.count;
            std::erase_if(c.terms, [&](const index_term& other) {
                return other.of == index_term::kind::delinearized && other.id >= first && other.id < past;
            });
            c = sum_of(c, scaled(d.whole, unit));
            again = true;
            break;
        }
    }
    return c;
}

}  // namespace sinter::codegen
