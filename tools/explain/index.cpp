// Views by indices: x(all, range(1, -1), newaxis, 3).
#include <sinter/error.hpp>
#include <sinter/slice.hpp>
#include <tools/explain/reader.hpp>

#include <fmt/format.h>

namespace sinter::spoken {
namespace {

bool is_end(const syntax& s) { return s.what == syntax::kind::name && s.text == "end"; }

detail::range_t read_range(const syntax& s) {
    if (s.parts.size() < 3 || s.parts.size() > 4)
        throw problem(s.at, "a range is range(start, stop) or range(start, stop, step)");
    const std::int64_t step = s.parts.size() == 4 ? read_integer(s.parts[3]) : 1;
    const std::int64_t start = read_integer(s.parts[1]);
    return is_end(s.parts[2]) ? range(start, end, step) : range(start, read_integer(s.parts[2]), step);
}

/// The view under construction, extended index by index.
struct growing {
    const node& from;
    node made;
    int source = 0;

    std::int64_t extent() const { return from.shape[static_cast<std::size_t>(source)]; }
    void read_along(std::int64_t start, std::int64_t step, std::int64_t count) {
        made.integers.insert(made.integers.end(), {made.rank, start, step});
        ++source;
        append(count);
    }
    void read_at(std::int64_t place) {
        made.integers.insert(made.integers.end(), {-1, place, 0});
        ++source;
    }
    void append(std::int64_t count) {
        if (made.rank == ir::max_rank) throw error("an array has at most 8 axes");
        made.shape[static_cast<std::size_t>(made.rank++)] = count;
    }
};

void add_index(growing& g, const syntax& s) {
    const bool is_name = s.what == syntax::kind::name;
    if (is_name && s.text == "newaxis") return g.append(1);
    if (g.source == g.from.rank)
        throw problem(s.at, fmt::format("more indices than the operand has axes: it has {}", g.from.rank));
    const std::int64_t extent = g.extent();
    if (is_name && s.text == "all") return g.read_along(0, 1, extent);
    if (s.what == syntax::kind::call && s.parts[0].text == "range") {
        const detail::range_t r = read_range(s);
        const detail::resolved_range found = detail::resolve(r, extent);
        return g.read_along(found.count > 0 ? found.first : 0, found.step, found.count);
    }
    number n;
    if (!read_number(s, n) || is_floating(n.type))
        throw problem(s.at, "an index is an integer, range(...), all or newaxis; where(mask, x, y) chooses by a mask");
    if (n.integer < -extent || n.integer >= extent) detail::throw_bad_index(n.integer, g.source, extent);
    g.read_at(n.integer < 0 ? n.integer + extent : n.integer);
}

}  // namespace

node_ref index_of(const node_ref& operand, const syntax& call) {
    growing g{*operand, {}, 0};
    for (std::size_t i = 1; i < call.parts.size(); ++i) add_index(g, call.parts[i]);
    if (!call.options.empty()) throw problem(call.options[0].at, "an index has no name");
    while (g.source < operand->rank) g.read_along(0, 1, g.extent());
    g.made.what = ir::kind::index_map;
    g.made.type = operand->type;
    g.made.integers.insert(g.made.integers.end(), g.made.shape.begin(), g.made.shape.begin() + g.made.rank);
    g.made.in = {operand};
    return std::make_shared<const node>(std::move(g.made));
}

}  // namespace sinter::spoken
