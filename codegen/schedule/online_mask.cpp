// What masks exclude, as far as a schedule depends on it.
#include <codegen/schedule/online.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/ir/value_at.hpp>
#include <codegen/schedule/access.hpp>

#include <algorithm>
#include <cstdint>

namespace sinter::codegen {
namespace {

constexpr std::int64_t max_tiles_counted = 64;  ///< of more tiles, these are taken as samples

bool grows(const loop_nest& k, const index_set& s, int row_axis) {
    const auto rises = [&](const affine_form& f) {
        return std::any_of(f.of.begin(), f.of.end(), [&](const affine_form::summand& one) {
            return one.sign > 0 && (value_at(k, one.value).varies >> row_axis & 1) != 0;
        });
    };
    if (s.what == index_set::kind::up_to) return rises(s.bound);
    return std::any_of(s.parts.begin(), s.parts.end(), [&](const index_set& part) { return grows(k, part, row_axis); });
}

/// The elements that rows from `first` to `last` may need, `end` excluded. Of a bound that shapes do not determine
/// nothing is known.
struct interval {
    std::int64_t first, end;
};

class needed_elements {
public:
    needed_elements(const loop_nest& k, int row_axis) : k_(k), row_axis_(static_cast<std::size_t>(row_axis)) {}

    interval of(const index_set& s, std::int64_t first, std::int64_t last) const {
        const std::int64_t all = extent_of(k_, k_.nest_axis);
        switch (s.what) {
            case index_set::kind::unknown: return {0, all};
            case index_set::kind::from: return {is_known(s.bound) ? extreme(s.bound, first, last, false) : 0, all};
            case index_set::kind::up_to:
                return {0, is_known(s.bound) ? std::min(all, extreme(s.bound, first, last, true) + 1) : all};
            default: break;
        }
        interval made = of(s.parts[0], first, last);
        for (std::size_t p = 1; p < s.parts.size(); ++p) {
            const interval next = of(s.parts[p], first, last);
            const bool both = s.what == index_set::kind::both;
            made.first = both ? std::max(made.first, next.first) : std::min(made.first, next.first);
            made.end = both ? std::min(made.end, next.end) : std::max(made.end, next.end);
        }
        return made;
    }

private:
    bool is_known(const affine_form& f) const {
        return std::all_of(f.of.begin(), f.of.end(), [&](const affine_form::summand& one) {
            return value_at(k_, one.value).what == value_kind::index;
        });
    }
    std::int64_t extreme(const affine_form& f, std::int64_t first, std::int64_t last, bool greatest) const {
        std::int64_t sum = f.constant;
        for (const affine_form::summand& one : f.of) {
            const std::int64_t stride =
                one.sign * k_.layouts[static_cast<std::size_t>(value_at(k_, one.value).at)].stride[row_axis_];
            sum += greatest ? std::max(stride * first, stride * last) : std::min(stride * first, stride * last);
        }
        return sum;
    }

    const loop_nest& k_;
    const std::size_t row_axis_;
};

}  // namespace

support support_of_scores(const loop_nest& k, const online_sums& sums, const tensor_tile& t) {
    std::uint32_t along = 1u << k.nest_axis;
    for (std::size_t l = 1; l < k.loops.size(); ++l) along |= 1u << k.loops[l].axes[0];
    return support_of(k, sums.x, along, 1u << t.row_axis | 1u << t.column_axis);
}

bool last_rows_need_most(const loop_nest& k, const support& mask, const tensor_tile& t) {
    return grows(k, mask.indices, t.row_axis);
}

double share_of_slices(const loop_nest& k, const online_sums& sums, const schedule& s) {
    if (!s.tensor.skips) return 1;
    return share_of_slices(k, support_of_scores(k, sums, s.tensor), s.tensor, nest_elements(s));
}

double share_of_slices(const loop_nest& k, const support& mask, const tensor_tile& t, std::int64_t elements) {
    const std::int64_t rows = extent_of(k, t.row_axis);
    const std::int64_t slices = divide_up(extent_of(k, k.nest_axis), elements), tiles = divide_up(rows, t.rows);
    if (slices == 0 || tiles == 0) return 1;
    const needed_elements needed(k, t.row_axis);
    const std::int64_t step = divide_up(tiles, max_tiles_counted);
    std::int64_t counted = 0, taken = 0;
    for (std::int64_t tile = step / 2; tile < tiles; tile += step, ++counted) {
        const std::int64_t first = tile * t.rows;
        const interval some = needed.of(mask.indices, first, std::min(rows, first + t.rows) - 1);
        const std::int64_t from = std::max<std::int64_t>(some.first, 0);
        if (some.end > from) taken += divide_up(some.end, elements) - from / elements;
    }
    return static_cast<double>(taken) / static_cast<double>(slices * std::max<std::int64_t>(counted, 1));
}

}  // namespace sinter::codegen
