// Chooses where to cut, and which axes to split so that quotients and remainders of indices become affine.
#include <codegen/host/regions.hpp>

#include <codegen/host/value_types.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sinter::codegen::blocked {
namespace {

constexpr std::size_t max_pieces = 64;         // of one value; more are a pattern, not parts
constexpr std::size_t max_window_pieces = 8;   // of the index of a window's element
constexpr std::int64_t fewest_elements = 512;  // starting a region takes about 0.1 us

box all_of(const loop_nest& k) { return {std::vector<std::int64_t>(k.extents.size(), 0), k.extents}; }

/// Splits an axis into one of extent / inner indices and one of `inner`.
void split_axis(loop_nest& k, int axis, std::int64_t inner) {
    const auto fast = static_cast<std::size_t>(axis), slow = k.extents.size();
    k.extents.push_back(k.extents[fast] / inner);
    k.extents[fast] = inner;
    for (layout& l : k.layouts) l.stride[slow] = l.stride[fast] * inner;
    for (value& v : k.values)
        if (v.varies >> fast & 1) v.varies |= 1u << slow;
    k.outer.insert(std::find(k.outer.begin(), k.outer.end(), axis), static_cast<int>(slow));
}

/// Splits one axis whose affine index a quotient or a remainder takes apart. Returns whether there was one.
bool split_one(loop_nest& k, instruction_set isa) {
    const std::vector<char> decided = find_decided(k);
    const piecewise nothing{std::vector<int>(k.values.size(), -1), std::vector<std::vector<piece>>(k.values.size())};
    const auto found = find_forms(k, decided, nothing, all_of(k), isa);
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        const value& v = k.values[i];
        if (v.op != &index_quotient && v.op != &index_remainder) continue;
        const auto &whole = found[static_cast<std::size_t>(v.in[0])],
                   &divisor = found[static_cast<std::size_t>(v.in[1])];
        if (found[i] || !whole || !divisor || !divisor->is_constant()) continue;
        for (const int a : k.outer) {
            const std::int64_t step = whole->steps.stride[static_cast<std::size_t>(a)];
            const std::int64_t extent = k.extents[static_cast<std::size_t>(a)];
            if (step <= 0 || divisor->start % step != 0) continue;
            const std::int64_t inner = divisor->start / step;
            if (inner <= 1 || inner >= extent || extent % inner != 0) continue;
            split_axis(k, a, inner);
            return true;
        }
    }
    return false;
}

class cutter {
public:
    cutter(const loop_nest& k, instruction_set isa)
        : k_(k),
          isa_(isa),
          decided_(find_decided(k, true)),
          known_{std::vector<int>(k.values.size(), -1), std::vector<std::vector<piece>>(k.values.size())},
          cuts_(k.extents.size()) {
        for (const int a : k.outer) outer_ |= 1u << a;
    }

    std::vector<region> run() {
        find_pieces();
        choose_cuts();
        std::vector<region> regions;
        box where = all_of(k_);
        add_regions(0, where, regions);
        return regions;
    }

    /// Whether cutting makes some varying value known.
    bool pays() const {
        return std::any_of(k_.values.begin(), k_.values.end(), [this](const value& v) {
            const auto i = static_cast<std::size_t>(&v - k_.values.data());
            return decided_[i] && v.what != value_kind::index && v.what != value_kind::constant && v.varies != 0;
        });
    }

private:
    /// The outer axis along which a value varies, as a bit; 0 if there are several, or none.
    std::uint32_t outer_axis_of(const value& v) const {
        const std::uint32_t varies = v.varies & outer_;
        return std::has_single_bit(varies) ? varies : 0;
    }

    /// Whether a decided value has a user other than decided values along the same axes, one of them an outer one.
    bool is_frontier(std::size_t id) const {
        const value& v = k_.values[id];
        const bool computed = v.what == value_kind::elementwise || v.what == value_kind::cast;
        if (!decided_[id] || !computed || outer_axis_of(v) == 0) return false;
        const auto reads = [id](const value& user) {
            return std::find(user.in.begin(), user.in.end(), static_cast<int>(id)) != user.in.end();
        };
        for (std::size_t u = id + 1; u < k_.values.size(); ++u)
            if (reads(k_.values[u]) && !(decided_[u] && k_.values[u].varies == v.varies)) return true;
        return std::any_of(k_.stores.begin(), k_.stores.end(),
                           [id](const kernel_store& s) { return s.value == static_cast<int>(id); });
    }

    /// Masks first: their cuts may separate the indices that matter from those that do not.
    void find_pieces() {
        for (const bool masks : {true, false})
            for (std::size_t id = 0; id < k_.values.size(); ++id) {
                if (!is_frontier(id) || (k_.values[id].type == dtype::bool_) != masks) continue;
                const int axis = std::countr_zero(outer_axis_of(k_.values[id]));
                if ((k_.values[id].varies & ~outer_) != 0) {
                    cut_beside_windows(static_cast<int>(id), axis);
                    continue;
                }
                std::vector<std::int64_t>& cuts = cuts_[static_cast<std::size_t>(axis)];
                known_.pieces[id] = pieces_along(k_, static_cast<int>(id), axis, cuts, max_pieces, isa_);
                if (known_.pieces[id].empty()) continue;
                known_.axis[id] = axis;
                add_cuts(cuts, known_.pieces[id]);
            }
    }

    static void add_cuts(std::vector<std::int64_t>& cuts, const std::vector<piece>& pieces) {
        for (const piece& p : pieces)
            if (p.begin > 0) cuts.push_back(p.begin);
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }

    /// A value that varies along an outer axis and inside loops, as the index of a window's element does: cut where it
    /// changes at the first or at the last of the loops' indices. Between, the ranges of indices may decide it.
    void cut_beside_windows(int id, int axis) {
        std::vector<std::int64_t>& cuts = cuts_[static_cast<std::size_t>(axis)];
        axis_indices corner(k_.extents.size(), 0);
        for (const bool last : {false, true}) {
            for (const inner_loop& l : k_.loops)
                for (const int a : l.axes)
                    corner[static_cast<std::size_t>(a)] = last ? k_.extents[static_cast<std::size_t>(a)] - 1 : 0;
            add_cuts(cuts, pieces_along(k_, id, axis, cuts, max_window_pieces, isa_, corner));
        }
    }

    /// Removes cuts until regions are large enough; axes with the most cuts first.
    void choose_cuts() {
        const auto regions = [this] {
            double n = 1;
            for (const auto& cuts : cuts_) n *= static_cast<double>(cuts.size() + 1);
            return n;
        };
        double elements = static_cast<double>(outer_size(k_));
        for (const inner_loop& l : k_.loops) elements *= static_cast<double>(trip_count(k_, l));
        while (regions() > 1 && regions() * static_cast<double>(fewest_elements) > elements) {
            const auto most = std::max_element(cuts_.begin(), cuts_.end(),
                                               [](const auto& a, const auto& b) { return a.size() < b.size(); });
            most->clear();
            for (std::size_t id = 0; id < known_.axis.size(); ++id)
                if (known_.axis[id] == most - cuts_.begin() && known_.pieces[id].size() > 1) known_.axis[id] = -1;
        }
    }

    void add_regions(std::size_t axis, box& where, std::vector<region>& regions) {
        if (axis == k_.extents.size()) return regions.push_back(specialise(k_, decided_, known_, where, isa_));
        std::int64_t begin = 0;
        for (std::size_t c = 0; c <= cuts_[axis].size(); ++c) {
            const std::int64_t end = c < cuts_[axis].size() ? cuts_[axis][c] : k_.extents[axis];
            where.begin[axis] = std::exchange(begin, end);
            where.extents[axis] = end - where.begin[axis];
            add_regions(axis + 1, where, regions);
        }
    }

    const loop_nest& k_;
    const instruction_set isa_;
    const std::vector<char> decided_;
    std::uint32_t outer_ = 0;  ///< bit a: axis a is an outer one
    piecewise known_;
    std::vector<std::vector<std::int64_t>> cuts_;  ///< by axis: where regions begin, except 0
};

}  // namespace

namespace {

bool may_cut_loops(const loop_nest& k) {
    return k.nest_axis < 0 && k.block_axis < 0 && !has_scans(k) &&
           std::all_of(k.values.begin(), k.values.end(), [](const value& v) {
               return v.loop >= group_level && (v.what != value_kind::reduce || v.over >= 0);
           });
}

std::size_t gathers_of(const loop_nest& k) {
    return static_cast<std::size_t>(std::count_if(
        k.values.begin(), k.values.end(), [](const value& v) { return v.what == value_kind::load && v.in[0] >= 0; }));
}

/// Regions of a kernel with loops: only if most of its groups lose gathers by it.
std::vector<region> cut_windows(const loop_nest& k, instruction_set isa) {
    std::vector<region> regions = cutter(k, isa).run();
    std::int64_t simpler = 0;
    for (const region& r : regions)
        if (gathers_of(r.body) < gathers_of(k)) simpler += outer_size(r.body);
    if (2 * simpler < outer_size(k)) return {whole_of(k)};
    return regions;
}

}  // namespace

std::vector<region> cut_into_regions(const loop_nest& k, instruction_set isa) {
    if (outer_size(k) < fewest_elements || !cutter(k, isa).pays()) return {whole_of(k)};
    if (!k.loops.empty()) return may_cut_loops(k) ? cut_windows(k, isa) : std::vector{whole_of(k)};
    loop_nest split = k;
    while (split.extents.size() < max_axes && split_one(split, isa)) {
    }
    return cutter(split, isa).run();
}

}  // namespace sinter::codegen::blocked
