// Recognises reductions by key.
#include <codegen/host/keyed_reduction.hpp>

#include <codegen/host/kernel_parts.hpp>
#include <codegen/rows/identity.hpp>
#include <sinter/op/builtin.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

namespace sinter::codegen::blocked {
namespace {

/// Whether a reduction returns one of its elements.
bool chooses_element(const keyed_reduction::fold& f) { return f.op->rule == dtype_rule::same && !f.op->has_identity; }

/// Whether compilers give a reduction the same bits in every loop. g++ 12 contracts complex products in some.
bool has_one_result(const value& v) { return !is_complex(v.type) || std::string_view(v.op->body) == "x + y"; }

/// The row of the table that computes what a reduction does: for sums of integers of any width, the table's sum.
int row_of_table(const value& v) {
    if (v.op->builtin >= 0) return v.op->builtin;
    const bool is_sum = is_integer(v.type) && v.op->host != nullptr && std::string_view(v.op->body) == "x + y" &&
                        identity_of(*v.op, v.type).bits == 0;
    return is_sum ? static_cast<int>(builtin_op::sum) : -1;
}

constexpr std::int64_t fewest_keyed_groups = 4;       // keys and their folds cost as much as so many comparisons
constexpr std::int64_t fewest_keyed_steps = 1 << 15;  // three kernels cost as much as so many steps

class keyed_finder {
public:
    keyed_finder(const loop_nest& k, const plan& p) : k_(k), p_(p) {}

    std::optional<keyed_reduction> find() {
        if (!has_one_loop()) return std::nullopt;
        match_.along = k_.loops[0].axes[0];
        for (std::size_t i = 0; i < k_.values.size(); ++i)
            if (compares_key(static_cast<int>(i)) && finds_folds() && pays()) return cut_by_key(k_, match_);
        return std::nullopt;
    }

private:
    static constexpr auto max_elements = std::numeric_limits<std::int32_t>::max();

    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }
    std::int64_t extent(int axis) const { return k_.extents[static_cast<std::size_t>(axis)]; }
    std::int64_t stride(const value& v, int axis) const {
        return k_.layouts[static_cast<std::size_t>(v.at)].stride[static_cast<std::size_t>(axis)];
    }

    bool has_one_loop() const {
        return k_.loops.size() == 1 && k_.loops[0].axes.size() == 1 && !k_.loops[0].backwards &&
               !k_.loops[0].reductions.empty() && k_.nest_axis < 0 && !has_scans(k_) && !folds_groups(k_) &&
               p_.regions.empty() && trip_count(k_, k_.loops[0]) < max_elements &&
               std::all_of(k_.stores.begin(), k_.stores.end(),
                           [](const kernel_store& s) { return s.loop == group_level; });
    }

    /// Whether the value is a comparison of the index along an outer axis with a key. Sets these.
    bool compares_key(int i) {
        const value& v = at(i);
        if (v.what != value_kind::elementwise || v.loop != 0 || v.op->rule != dtype_rule::equality ||
            v.op->symbol == nullptr || std::string_view(v.op->symbol) != "==")
            return false;
        for (int side = 0; side < 2; ++side) {
            const value &index = at(v.in[side]), &key = at(v.in[1 - side]);
            if (index.what != value_kind::index || (key.varies >> match_.along & 1u) == 0 || !is_integer(index.type) ||
                !is_integer(key.type))
                continue;
            match_.group_axis = -1;
            bool is_one_axis = true;
            for (int a = 0; a < static_cast<int>(k_.extents.size()); ++a) {
                if (stride(index, a) == 0) continue;
                is_one_axis = is_one_axis && match_.group_axis < 0 && stride(index, a) == 1;
                match_.group_axis = a;
            }
            const bool is_outer =
                std::find(k_.outer.begin(), k_.outer.end(), match_.group_axis) != k_.outer.end() && is_one_axis;
            if (!is_outer || extent(match_.group_axis) >= max_elements || (key.varies >> match_.group_axis & 1u) != 0)
                continue;
            match_.comparison = i;
            match_.key = v.in[1 - side];
            find_axes_of_keys(key.varies);
            return true;
        }
        return false;
    }

    void find_axes_of_keys(std::uint32_t varies) {
        match_.keys_before = match_.keys_after = false;
        bool past = false;
        for (const int a : k_.outer) {
            past = past || a == match_.group_axis;
            if (a != match_.group_axis && (varies >> a & 1u) != 0)
                (past ? match_.keys_after : match_.keys_before) = true;
        }
    }

    /// What the loop's reductions fold where the comparison fails; false if it is not known of one of them, or if its
    /// values depend on the group otherwise.
    bool finds_folds() {
        match_.folds.clear();
        for (const int id : k_.loops[0].reductions) {
            const value& v = at(id);
            keyed_reduction::fold f;
            f.op = v.op;
            f.builtin = row_of_table(v);
            f.type = v.type;
            const dtype of = at(v.in[0]).type;
            const std::optional<elsewhere_value> other = elsewhere(v.in[0]);
            if (f.builtin < 0 || !has_one_result(v) || detail::is_accumulator(v.type) || is_storage_only(v.type) ||
                is_storage_only(of) || !other)
                return false;
            f.scalar = other->scalar;
            f.elsewhere = converted(other->bits, of, v.type);
            if (f.scalar >= 0 && of != v.type) return false;
            match_.folds.push_back(f);
        }
        const std::vector<char> needed = needed_for_values();
        for (std::size_t i = 0; i < k_.values.size(); ++i) {
            const value& v = k_.values[i];
            const bool reads = v.what == value_kind::load || v.what == value_kind::index;
            if (needed[i] && reads && stride(v, match_.group_axis) != 0) return false;
        }
        return true;
    }

    struct elsewhere_value {
        int scalar = -1;
        ir::scalar_bits bits;
    };

    static ir::scalar_bits converted(const ir::scalar_bits& bits, dtype from, dtype to) {
        if (from == to) return bits;
        ir::scalar_bits made;
        const void* in[] = {&bits, nullptr, nullptr};
        cast_loop(to, from)(&made, in, 1);
        return made;
    }

    /// A value where the comparison fails, if that is a constant or a scalar.
    std::optional<elsewhere_value> elsewhere(int i) const {
        const value& v = at(i);
        if (i == match_.comparison) return elsewhere_value{};
        if (v.what == value_kind::constant) return elsewhere_value{-1, {v.bits}};
        if (v.what == value_kind::scalar) return elsewhere_value{v.scalar, {}};
        if (v.what == value_kind::cast) {
            const std::optional<elsewhere_value> of = elsewhere(v.in[0]);
            if (!of || of->scalar >= 0 || is_storage_only(v.type) || is_storage_only(at(v.in[0]).type))
                return std::nullopt;
            return elsewhere_value{-1, converted(of->bits, at(v.in[0]).type, v.type)};
        }
        if (v.what != value_kind::elementwise) return std::nullopt;
        const auto is_false = [](const std::optional<elsewhere_value>& e) {
            return e && e->scalar < 0 && (e->bits.bits & 1) == 0;
        };
        if (v.op->rule == dtype_rule::select) return is_false(elsewhere(v.in[0])) ? elsewhere(v.in[2]) : std::nullopt;
        const bool is_and =
            v.op->rule == dtype_rule::logical && v.op->symbol != nullptr && std::string_view(v.op->symbol) == "&&";
        if (is_and && (is_false(elsewhere(v.in[0])) || is_false(elsewhere(v.in[1])))) return elsewhere_value{};
        return std::nullopt;
    }

    bool pays() const {
        return extent(match_.group_axis) >= fewest_keyed_groups &&
               extent(match_.along) * outer_size(k_) >= fewest_keyed_steps;
    }

    /// What the folded values are computed from, where the comparison holds.
    std::vector<char> needed_for_values() const {
        std::vector<int> folded;
        for (const int id : k_.loops[0].reductions) folded.push_back(at(id).in[0]);
        return needed_values(k_, folded, match_.comparison);
    }

    const loop_nest& k_;
    const plan& p_;
    key_match match_;
};

}  // namespace

std::optional<keyed_reduction> find_keyed_reduction(const loop_nest& k, const plan& p) {
    return keyed_finder(k, p).find();
}

bool folds_the_same(const keyed_reduction::fold& f, const ir::scalar_bits* scalars) {
    return is_identity(f, scalars) || (chooses_element(f) && (is_integer(f.type) || f.type == dtype::bool_));
}

bool is_identity(const keyed_reduction::fold& f, const ir::scalar_bits* scalars) {
    const ir::scalar_bits identity = identity_of(*f.op, f.type);
    return std::memcmp(&elsewhere_of(f, scalars), &identity, size_of(f.type)) == 0;
}

}  // namespace sinter::codegen::blocked
