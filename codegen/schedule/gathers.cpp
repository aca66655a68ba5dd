// Gathers whose neighbours lie side by side, so that one access can move them. In rows, as take(x, i, axis=0) gathers
// them, neighbours have one index. In the parts of a join, as concat and pad make them, indices run along with the
// results: where the parts begin and end at multiples of an access, all its neighbours are within a part or outside of
// it. At other elements neighbours are taken from two aligned accesses (schedule/realigned.cpp), or each is loaded at
// its own index.
#include <codegen/schedule/gathers.hpp>

#include <codegen/schedule/access.hpp>
#include <codegen/schedule/realigned.hpp>

#include <codegen/transforms/index_rows.hpp>
#include <sinter/gather.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sinter::codegen {
namespace {

bool index_moves(const loop_nest& k, int of, int axis) {
    return (k.values[static_cast<std::size_t>(of)].varies >> axis & 1u) != 0;
}

/// Whether `vector` neighbours along an axis, from a multiple of them on, have the indices from a multiple of them on.
/// Beyond the ends of a part the index stops, at its first element or at its last one; what is read there is not used.
bool runs_along(const loop_nest& k, int of, int axis, int vector) {
    const value& v = k.values[static_cast<std::size_t>(of)];
    const auto is_multiple = [&](int in) { return !index_moves(k, in, axis) && divisor_of(k, in) % vector == 0; };
    if (v.what == value_kind::cast) return is_integer(v.type) && runs_along(k, v.in[0], axis, vector);
    if (v.what == value_kind::index) {
        for (int a = 0; a < static_cast<int>(k.extents.size()); ++a)
            if (stride_of(k, v.at, a) % vector != (a == axis ? 1 : 0)) return false;
        return stride_of(k, v.at, axis) == 1;
    }
    if (v.what != value_kind::elementwise) return false;
    if (v.op == &index_plus)
        return (runs_along(k, v.in[0], axis, vector) && is_multiple(v.in[1])) ||
               (runs_along(k, v.in[1], axis, vector) && is_multiple(v.in[0]));
    const bool joins =
        v.op == &sinter::detail::index_of_part_row::row || v.op == &sinter::detail::index_rolled_row::row;
    return joins && runs_along(k, v.in[0], axis, vector) && is_multiple(v.in[1]) && is_multiple(v.in[2]);
}

}  // namespace

int neighbour_axis(const loop_nest& k, const schedule& s, int loop) {
    if (loop >= 0 && !scans_of(k, loop).empty()) return -1;
    const bool elements = s.form == schedule_form::elementwise;
    if (s.form == schedule_form::tiled) return s.tile.row_axis;
    if (elements || (s.form == schedule_form::columns && loop >= 0)) return k.outer.empty() ? -1 : k.outer.back();
    if (s.form != schedule_form::rows || s.peeled || loop < 0) return -1;
    const std::vector<int>& axes = k.loops[static_cast<std::size_t>(loop)].axes;
    return axes.empty() ? -1 : axes.back();
}

// Powers of two divide it even if it wraps around.
std::int64_t divisor_of(const loop_nest& k, int of) {
    const value& v = k.values[static_cast<std::size_t>(of)];
    if (!is_integer(v.type)) return 1;
    switch (v.what) {
        case value_kind::constant: return std::gcd(static_cast<std::int64_t>(v.bits), 0);
        case value_kind::scalar: {
            const int from = k.scalars[static_cast<std::size_t>(v.scalar)];
            return from < 0 ? std::gcd(k.numbers[static_cast<std::size_t>(-1 - from)], 0) : 1;
        }
        case value_kind::cast: return divisor_of(k, v.in[0]);
        case value_kind::index: {
            std::int64_t all = 0;
            for (std::int64_t stride : k.layouts[static_cast<std::size_t>(v.at)].stride) all = std::gcd(all, stride);
            return all;
        }
        case value_kind::elementwise:
            if (v.op->symbol == nullptr) return 1;  // only the table's own ops and those of indices have a symbol
            if (*v.op->symbol == '*') return divisor_of(k, v.in[0]) * divisor_of(k, v.in[1]);
            if (*v.op->symbol == '+') return std::gcd(divisor_of(k, v.in[0]), divisor_of(k, v.in[1]));
            return 1;
        default: return 1;
    }
}

bool can_gather(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment) {
    if (index_moves(k, a.displacement, fast))
        return stride_of(k, a, fast) == 0 && is_aligned_beside(k, a, fast, vector, alignment) &&
               runs_along(k, a.displacement, fast, vector);
    return can_move(k, a, fast, vector, alignment) && divisor_of(k, a.displacement) % vector == 0;
}

std::uint64_t wide_gathers_of(const loop_nest& k, const schedule& s, const std::vector<int>& alignment) {
    if (s.vector_width == 1) return 0;
    std::uint64_t all = 0;
    int ordinal = 0;
    for (const access& a : gathers_of(k)) {
        const int fast = neighbour_axis(k, s, a.loop);
        if (ordinal < 64 && fast >= 0 && can_gather(k, a, fast, s.vector_width, alignment))
            all |= std::uint64_t{1} << ordinal;
        ++ordinal;
    }
    return all | s.realigned;
}

std::vector<value_use> uses_of_values(const loop_nest& k, const schedule& s) {
    std::vector<value_use> all(k.values.size());
    if (s.wide_gathers == 0) return all;
    const auto mark = [&](std::vector<char>& needed) {
        for (std::size_t v = k.values.size(); v-- > 0;) {
            if (needed[v] == 0 || is_wide_gather(k, s, static_cast<int>(v))) continue;
            for (int in : k.values[v].in)
                if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
        }
    };
    std::vector<char> stored(k.values.size(), 0);
    for (const kernel_store& st : k.stores) stored[static_cast<std::size_t>(st.value)] = 1;
    mark(stored);
    for (std::size_t v = 0; v < all.size(); ++v) all[v].elements = stored[v] != 0;
    std::vector<char> seen(k.values.size(), 0);
    for (std::size_t v = 0; v < all.size(); ++v) {
        if (!is_wide_gather(k, s, static_cast<int>(v))) continue;
        const auto displacement = static_cast<std::size_t>(k.values[v].in[0]);
        if (std::exchange(seen[displacement], 1) != 0) continue;
        std::vector<char> needed(k.values.size(), 0);
        needed[displacement] = 1;
        mark(needed);
        const int times = is_realigned(k, s, static_cast<int>(v)) ? 2 : 1;  // of the first neighbour and of the last
        for (std::size_t u = 0; u < all.size(); ++u) all[u].displacements += needed[u] != 0 ? times : 0;
    }
    return all;
}

bool is_loaded(const loop_nest& k, int value) {
    const auto& v = k.values[static_cast<std::size_t>(value)];
    return v.what == value_kind::load ||
           std::any_of(v.in.begin(), v.in.end(), [&](int in) { return in >= 0 && is_loaded(k, in); });
}

int ordinal_of_gather(const loop_nest& k, int value) {
    return static_cast<int>(std::count_if(k.values.begin(), k.values.begin() + value, is_gather));
}

bool is_wide_gather(const loop_nest& k, const schedule& s, int value) {
    if (s.wide_gathers == 0 || !is_gather(k.values[static_cast<std::size_t>(value)])) return false;
    const int before = ordinal_of_gather(k, value);
    return before < 64 && (s.wide_gathers >> before & 1u) != 0;
}

}  // namespace sinter::codegen
