// Finding such sums.
#include <codegen/schedule/nested_products.hpp>

#include <codegen/ir/is_op.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/gathers.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {
namespace {

class nested_reader {
public:
    explicit nested_reader(const loop_nest& k) : k_(k) {}

    std::optional<nested_products> read() {
        if (k_.nest_axis < 0 || k_.loops.size() < 2 || has_scans(k_) || folds_groups(k_)) return std::nullopt;
        for (const inner_loop& l : k_.loops)
            if (l.axes.size() > (&l == &k_.loops.back() ? 2u : 1u) || l.reductions.empty()) return std::nullopt;
        if (k_.loops.back().axes.size() == 2) of_.repeat_axis = k_.loops.back().axes[0];
        const int last = static_cast<int>(k_.loops.size()) - 1;
        for (int l = 0; l <= last; ++l)
            if (is_nested(k_, l) != (l < last)) return std::nullopt;
        for (const kernel_store& s : k_.stores)
            if (s.loop != group_level) return std::nullopt;
        if (!read_factors() || !read_results() || !find_axes() || !are_elements_plain()) return std::nullopt;
        return of_;
    }

private:
    const value& at(int v) const { return k_.values[static_cast<std::size_t>(v)]; }
    bool varies(int v, int axis) const { return (at(v).varies >> axis & 1) != 0; }
    bool is_op(int v, builtin_op op) const {
        return v >= 0 && codegen::is_op(at(v), op) && at(v).type == dtype::float32;
    }

    bool read_factors() {
        for (int l = 0; l + 1 < static_cast<int>(k_.loops.size()); ++l) {
            std::optional<tensor_factors> f = tensor_factors_in(k_, l);
            if (!f || varies(f->rows, k_.nest_axis) == varies(f->columns, k_.nest_axis)) return false;
            if (varies(f->rows, k_.nest_axis)) std::swap(f->rows, f->columns);
            if (of_.repeat_axis >= 0 && varies(f->rows, of_.repeat_axis)) return false;
            if (!is_plain_factor(k_, f->rows, l) || !is_plain_factor(k_, f->columns, l)) return false;
            of_.factors.push_back(*f);
        }
        return true;
    }

    /// The half number that a value is, as float32.
    int half_of(int v) const {
        if (at(v).what != value_kind::cast || at(v).type != dtype::float32 || !is_half(at(at(v).in[0]).type)) return -1;
        return at(v).in[0];
    }

    bool read_results() {
        for (const int sum : k_.loops.back().reductions) {
            if (!is_op(sum, builtin_op::sum)) return false;
            const int summed = at(sum).in[0];
            nested_products::result r{sum, summed, -1};
            if (is_op(summed, builtin_op::multiply)) {
                const int a = half_of(at(summed).in[0]), b = half_of(at(summed).in[1]);
                if (a >= 0 && b >= 0 && at(a).type == at(b).type && depends_on_products(a) != depends_on_products(b)) {
                    r.weight = depends_on_products(a) ? a : b;
                    r.y = depends_on_products(a) ? b : a;
                    if (at(r.y).loop != of_.last() || !is_plain_factor(k_, r.y, of_.last())) return false;
                }
            }
            if (at(r.weight).what == value_kind::load || !depends_on_products(r.weight)) return false;
            of_.results.push_back(r);
        }
        return true;
    }

    bool depends_on_products(int v) const {
        if (at(v).what == value_kind::reduce) return true;
        return std::any_of(at(v).in.begin(), at(v).in.end(),
                           [&](int in) { return in >= 0 && depends_on_products(in); });
    }

    bool find_axes() {
        for (const int axis : k_.outer) {
            bool of_weights = false, of_ys = false, of_nest = false, of_rows = false;
            for (const nested_products::result& r : of_.results) {
                of_weights = of_weights || varies(r.weight, axis);
                of_ys = of_ys || (r.y >= 0 && varies(r.y, axis));
            }
            for (const tensor_factors& f : of_.factors) {
                of_nest = of_nest || varies(f.columns, axis);
                of_rows = of_rows || varies(f.rows, axis);
            }
            if (!of_weights && of_ys) {
                if (of_.column_axis >= 0) return false;
                of_.column_axis = axis;
            } else if (of_rows && !of_nest && !of_ys) {
                if (of_.row_axis < 0 || extent_of(k_, axis) >= extent_of(k_, of_.row_axis)) of_.row_axis = axis;
            }
        }
        return of_.row_axis >= 0 && std::all_of(of_.results.begin(), of_.results.end(), [&](const auto& r) {
                   return (r.y >= 0) == of_.has_columns() && (r.y < 0 || varies(r.y, of_.column_axis));
               });
    }

    bool are_elements_plain() const {
        const std::vector<int> all = element_values(k_, of_);
        return std::all_of(all.begin(), all.end(), [&](int v) {
            const value& self = at(v);
            const bool is_sum = self.what == value_kind::reduce;
            if (is_sum ? self.loop != nest_level : self.loop == group_level && self.stage > 0) return false;
            return !is_gather(self) && !(of_.has_columns() && varies(v, of_.column_axis));
        });
    }

    const loop_nest& k_;
    nested_products of_;
};

}  // namespace

std::optional<nested_products> nested_products_of(const loop_nest& k) { return nested_reader(k).read(); }

std::vector<int> element_values(const loop_nest& k, const nested_products& of) {
    std::vector<char> needed(k.values.size(), 0);
    for (const nested_products::result& r : of.results) needed[static_cast<std::size_t>(r.weight)] = 1;
    std::vector<int> found;
    for (auto v = static_cast<int>(k.values.size()); v-- > 0;) {
        if (needed[static_cast<std::size_t>(v)] == 0) continue;
        const value& self = k.values[static_cast<std::size_t>(v)];
        found.push_back(v);
        if (self.what == value_kind::reduce) continue;
        for (const int in : self.in)
            if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
    }
    std::reverse(found.begin(), found.end());
    return found;
}

namespace {

/// Whether a set differs from index to index of an axis.
bool varies_along(const loop_nest& k, const index_set& s, int axis) {
    return std::any_of(s.bound.of.begin(), s.bound.of.end(),
                       [&](const affine_form::summand& one) {
                           return (k.values[static_cast<std::size_t>(one.value)].varies >> axis & 1) != 0;
                       }) ||
           std::any_of(s.parts.begin(), s.parts.end(),
                       [&](const index_set& part) { return varies_along(k, part, axis); });
}

}  // namespace

std::vector<support> supports_of_weights(const loop_nest& k, const nested_products& of) {
    const std::uint32_t along = 1u << k.nest_axis | 1u << k.loops.back().axes.back();
    std::uint32_t tile = 1u << of.row_axis;
    if (of.has_columns()) tile |= 1u << of.column_axis;
    std::vector<support> all;
    for (const nested_products::result& r : of.results) {
        all.push_back(nonzero_support_of(k, r.weight, along, tile));
        if (of.repeat_axis >= 0 && varies_along(k, all.back().indices, of.repeat_axis)) all.back() = {};
    }
    return all;
}

int staged_axis(const loop_nest& k, const nested_products& of, int load) {
    const value& self = k.values[static_cast<std::size_t>(load)];
    const auto contains = [&](int factor, int loop) {
        const std::vector<int> all = values_of_factor(k, factor, loop);
        return std::find(all.begin(), all.end(), load) != all.end();
    };
    const auto neighbours = [&](int factor, int loop, int axis) {
        return is_staged_along_steps(k, factor, loop, axis) ? k.loops[static_cast<std::size_t>(loop)].axes.back()
                                                            : axis;
    };
    if (self.what != value_kind::load || self.loop < 0) return -1;
    if (self.loop < of.last()) {
        const tensor_factors& f = of.factors[static_cast<std::size_t>(self.loop)];
        if (contains(f.rows, self.loop)) return neighbours(f.rows, self.loop, of.row_axis);
        return contains(f.columns, self.loop) ? neighbours(f.columns, self.loop, k.nest_axis) : -1;
    }
    for (const nested_products::result& r : of.results)
        if (r.y >= 0 && contains(r.y, of.last())) return neighbours(r.y, of.last(), of.column_axis);
    return -1;
}

}  // namespace sinter::codegen
