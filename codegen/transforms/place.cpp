// Sums, digits and their simplification.
#include <codegen/transforms/place.hpp>

#include <algorithm>
#include <optional>

namespace sinter::codegen {
namespace {

void sort_terms(coordinate& c) {
    std::sort(c.terms.begin(), c.terms.end());
    std::vector<place_term> merged;
    for (const place_term& t : c.terms) {
        if (!merged.empty() && merged.back().of == t.of && merged.back().id == t.id)
            merged.back().step += t.step;
        else
            merged.push_back(t);
    }
    std::erase_if(merged, [](const place_term& t) { return t.step == 0; });
    c.terms = std::move(merged);
}

/// (whole / divide) % modulo as a coordinate, where the terms fall into multiples of `divide` and a rest below it.
std::optional<coordinate> plain_digit(const coordinate& whole, std::int64_t divide, std::int64_t modulo,
                                      const std::vector<std::int64_t>& extents) {
    coordinate quotient;
    std::int64_t rest = whole.start % divide;
    quotient.start = whole.start / divide;
    for (const place_term& t : whole.terms) {
        if (t.step % divide == 0)
            quotient.terms.push_back({t.of, t.id, t.step / divide});
        else if (t.of == place_term::kind::axis && t.step > 0)
            rest += t.step * (extents[static_cast<std::size_t>(t.id)] - 1);
        else
            return std::nullopt;
    }
    if (whole.start < 0 || rest >= divide) return std::nullopt;
    if (modulo == 0) return quotient;
    // what is a multiple of the modulus goes; the rest must stay below it
    coordinate left;
    left.start = quotient.start % modulo;
    std::int64_t most = left.start;
    for (const place_term& t : quotient.terms) {
        if (t.step % modulo == 0) continue;
        if (t.of != place_term::kind::axis || t.step < 0) return std::nullopt;
        most += t.step * (extents[static_cast<std::size_t>(t.id)] - 1);
        left.terms.push_back(t);
    }
    if (most >= modulo) return std::nullopt;
    return left;
}

}  // namespace

coordinate along_axis(int axis) { return {0, {{place_term::kind::axis, axis, 1}}}; }
coordinate value_of(int value) { return {0, {{place_term::kind::value, value, 1}}}; }

coordinate scaled(const coordinate& c, std::int64_t step, std::int64_t start) {
    coordinate out{start + step * c.start, c.terms};
    for (place_term& t : out.terms) t.step *= step;
    sort_terms(out);
    return out;
}

coordinate sum_of(const coordinate& a, const coordinate& b) {
    coordinate out{a.start + b.start, a.terms};
    out.terms.insert(out.terms.end(), b.terms.begin(), b.terms.end());
    sort_terms(out);
    return out;
}

void digits::split(const coordinate& whole, const std::int64_t* shape, int count,
                   const std::vector<std::int64_t>& extents, coordinate* into) {
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
    if (!parts.empty()) parts.back().modulo = 0;  // the slowest digit has no one above it
    std::vector<coordinate> plain;
    for (const wanted& w : parts)
        if (const auto c = plain_digit(whole, w.divide, w.modulo, extents)) plain.push_back(*c);
    if (plain.size() == parts.size()) {
        for (std::size_t i = 0; i < parts.size(); ++i) into[parts[i].axis] = plain[i];
        return;
    }
    const int first = static_cast<int>(all_.size());
    for (const wanted& w : parts) {
        into[w.axis] = {0, {{place_term::kind::digit, static_cast<int>(all_.size()), 1}}};
        all_.push_back({whole, w.divide, w.modulo, first, static_cast<int>(parts.size())});
    }
}

coordinate digits::joined(coordinate c) const {
    for (bool again = true; again;) {
        again = false;
        for (const place_term& t : c.terms) {
            if (t.of != place_term::kind::digit) continue;
            const digit& d = (*this)[t.id];
            if (t.step % d.divide != 0) continue;
            const std::int64_t unit = t.step / d.divide;
            const auto whole = [&](int id) {
                return std::any_of(c.terms.begin(), c.terms.end(), [&](const place_term& other) {
                    return other.of == place_term::kind::digit && other.id == id &&
                           other.step == unit * (*this)[id].divide;
                });
            };
            bool all = true;
            for (int id = d.first; id < d.first + d.count; ++id) all = all && whole(id);
            if (!all) continue;
            const int first = d.first, past = d.first + d.count;
            std::erase_if(c.terms, [&](const place_term& other) {
                return other.of == place_term::kind::digit && other.id >= first && other.id < past;
            });
            c = sum_of(c, scaled(d.whole, unit));
            again = true;
            break;
        }
    }
    return c;
}

}  // namespace sinter::codegen
