// Finds the invariant values that are worth an array, and cuts them out of a kernel. A part may have invariant values
// itself: its own plan cuts it again.
#include <codegen/host/invariant_values.hpp>

#include <codegen/host/equivalent_values.hpp>
#include <codegen/host/inline_ops.hpp>
#include <codegen/host/kernel_parts.hpp>
#include <codegen/host/value_types.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen::blocked {
namespace {

constexpr std::int64_t fewest_saved = 8192;  // computations: a part takes about as long to start as a thousand
constexpr std::int64_t fewest_repetitions = 4, fewest_of_arithmetic = 16;  // of a value whose array passes the caches

class invariant_finder {
public:
    explicit invariant_finder(const loop_nest& k)
        : k_(k), pure_(k.values.size()), indexed_(k.values.size()), calls_(k.values.size()) {
        for (std::size_t i = 0; i < k_.values.size(); ++i) describe(i);
    }

    /// By value: whether it is invariant, and read by what is not.
    std::vector<char> find() const {
        std::vector<char> invariant(k_.values.size(), 0), wanted(k_.values.size(), 0);
        for (std::size_t i = 0; i < k_.values.size(); ++i) invariant[i] = is_invariant(i);
        for (std::size_t i = 0; i < k_.values.size(); ++i)
            for (const int in : k_.values[i].in)
                if (in >= 0 && !invariant[i]) wanted[static_cast<std::size_t>(in)] = 1;
        for (const kernel_store& s : k_.stores) wanted[static_cast<std::size_t>(s.value)] = 1;
        for (std::size_t i = 0; i < k_.values.size(); ++i) wanted[i] = wanted[i] && invariant[i];
        return wanted;
    }

private:
    const value& at(std::size_t i) const { return k_.values[i]; }

    static bool is_computed(const value& v) { return v.what == value_kind::elementwise || v.what == value_kind::cast; }

    bool is_call(const value& v) const {
        if (v.what == value_kind::elementwise) return !is_inline(*v.op, computed_type(k_, v));
        return v.what == value_kind::cast &&
               !converts_inline(v.type, type_of(k_, at(static_cast<std::size_t>(v.in[0]))));
    }

    void describe(std::size_t i) {
        const value& v = at(i);
        pure_[i] = v.what != value_kind::reduce && v.what != value_kind::scan;
        indexed_[i] = v.what == value_kind::index;
        calls_[i] = is_call(v);
        for (const int in : v.in) {
            if (in < 0) continue;
            const auto operand = static_cast<std::size_t>(in);
            pure_[i] = pure_[i] && pure_[operand];
            indexed_[i] = indexed_[i] || indexed_[operand];
            calls_[i] = calls_[i] || calls_[operand];
        }
        // what masks may keep from being read: regions decide such masks (regions.cpp)
        if (v.what == value_kind::load && indexed_[i]) pure_[i] = 0;
    }

    std::int64_t size_of_axes(const std::vector<int>& axes, std::uint32_t which) const {
        std::int64_t n = 1;
        for (const int a : axes)
            if ((which >> a & 1) != 0) n *= k_.extents[static_cast<std::size_t>(a)];
        return n;
    }

    bool is_invariant(std::size_t i) const {
        const value& v = at(i);
        if (!pure_[i] || !is_computed(v) || v.varies == 0 || v.loop < group_level || !is_inline(v.type)) return false;
        // masks and indices that shapes decide are not computed at all (regions.cpp)
        if (indexed_[i] && !is_floating(v.type) && !is_complex(v.type)) return false;
        const auto count = [&](std::uint32_t which) {
            const std::int64_t groups = size_of_axes(k_.outer, which);
            return v.loop < 0 ? groups : groups * size_of_axes(k_.loops[static_cast<std::size_t>(v.loop)].axes, which);
        };
        const std::int64_t computed = count(~0u), distinct = count(v.varies);
        const std::int64_t fewest = calls_[i] ? fewest_repetitions : fewest_of_arithmetic;
        return computed - distinct >= fewest_saved && computed / fewest >= distinct;
    }

    const loop_nest& k_;
    std::vector<char> pure_;     ///< by value: depends on loads, indices and scalars alone
    std::vector<char> indexed_;  ///< depends on an index
    std::vector<char> calls_;    ///< is computed by more than arithmetic
};

class invariant_cutter {
public:
    invariant_cutter(const loop_nest& k, const std::vector<char>& wanted)
        : k_(k), equivalents_(find_equivalent_values(k)) {
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i]) add(static_cast<int>(i));
    }

    invariant_cut cut() {
        invariant_cut made;
        made.rest = k_;
        for (const array_part& p : parts_) {
            made.parts.push_back(part_of(p));
            first_input_.push_back(static_cast<int>(made.rest.inputs.size()));
            for (const int id : p.values)
                made.rest.inputs.push_back({at(id).type, -1, 0, false, made.parts.back().elements});
        }
        for (const placed& one : placed_) read(made.rest, one);
        drop_unneeded_values(made.rest);
        return made;
    }

private:
    /// Values that vary along the same axes.
    struct array_part {
        std::vector<int> axes, values;
    };
    struct placed {
        int value;
        std::size_t part, array;
    };

    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }

    /// The axes along which a value varies, slowest first.
    std::vector<int> axes_of(int id) const {
        const value& v = at(id);
        std::vector<int> axes = k_.outer;
        if (v.loop >= 0) {
            const std::vector<int>& inner = k_.loops[static_cast<std::size_t>(v.loop)].axes;
            axes.insert(axes.end(), inner.begin(), inner.end());
        }
        std::erase_if(axes, [&](int a) { return (v.varies >> a & 1) == 0; });
        return axes;
    }

    bool have_same_extents(const std::vector<int>& one, const std::vector<int>& other) const {
        return std::equal(one.begin(), one.end(), other.begin(), other.end(), [this](int x, int y) {
            return k_.extents[static_cast<std::size_t>(x)] == k_.extents[static_cast<std::size_t>(y)];
        });
    }

    /// Equivalent values of several loops share an array, so that what is computed from them remains equivalent.
    void add(int id) {
        int same = equivalents_[static_cast<std::size_t>(id)];
        if (!have_same_extents(axes_of(same), axes_of(id))) same = id;
        const std::vector<int> axes = axes_of(same);
        auto part = std::find_if(parts_.begin(), parts_.end(), [&](const array_part& p) { return p.axes == axes; });
        if (part == parts_.end()) part = parts_.insert(part, {axes, {}});
        auto array = std::find(part->values.begin(), part->values.end(), same);
        if (array == part->values.end()) array = part->values.insert(array, same);
        placed_.push_back({id, static_cast<std::size_t>(part - parts_.begin()),
                           static_cast<std::size_t>(array - part->values.begin())});
    }

    invariant_cut::part part_of(const array_part& p) const {
        std::vector<int> now;
        loop_nest body = without_outputs(without_loops(k_, needed_values(k_, p.values), now));
        body.outer = p.axes;
        for (const int id : p.values) store_densely(body, now[static_cast<std::size_t>(id)], at(id).type);
        renumber_axes(body);
        const std::int64_t elements = outer_size(body);
        return {std::move(body), elements};
    }

    void read(loop_nest& rest, const placed& one) const {
        value& v = rest.values[static_cast<std::size_t>(one.value)];
        v.what = value_kind::load;
        v.op = nullptr;
        v.in = {-1, -1, -1};
        v.input = first_input_[one.part] + static_cast<int>(one.array);
        v.at = add_dense_layout(rest, axes_of(one.value));
    }

    const loop_nest& k_;
    const std::vector<int> equivalents_;
    std::vector<array_part> parts_;
    std::vector<placed> placed_;
    std::vector<int> first_input_;  ///< by part: the rest's input that is its first array
};

}  // namespace

std::optional<invariant_cut> cut_invariant_values(const loop_nest& k) {
    if (k.nest_axis >= 0 || k.block_axis >= 0) return std::nullopt;
    const std::vector<char> wanted = invariant_finder(k).find();
    if (std::find(wanted.begin(), wanted.end(), 1) == wanted.end()) return std::nullopt;
    return invariant_cutter(k, wanted).cut();
}

}  // namespace sinter::codegen::blocked
