// Follows a loop's values from its indices and loads to what it folds or stores.
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/windows.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {
constexpr int max_step = 32;         ///< window elements between neighbouring groups, or taps
constexpr int max_elements = 128;    ///< of one window
constexpr int max_uniform_taps = 8;  ///< of a window that all groups of a thread read alike
}  // namespace

int window_reads::elements_of(int loop, const motion& how) const {
    return how.group_step * (w.columns - 1) + how.tap_step * (w.taps[static_cast<std::size_t>(loop)] - 1) + 1;
}

/// The motion of an address or of an index.
window_reads::motion window_reads::of_layout(int layout, int loop) {
    motion how;
    const std::int64_t across = stride_of(k, layout, w.row_axis),
                       along = stride_of(k, layout, w.along[static_cast<std::size_t>(loop)]);
    const std::int64_t over = stride_of(k, layout, w.column_axis), down = stride_of(k, layout, w.down);
    if (across < 0 || along < 0) how.is_windowed = false;
    if (how.is_windowed && (across > 0 || along > 0)) {
        const std::int64_t unit = across == 0 ? along : along == 0 ? across : std::min(across, along);
        const bool fits =
            across % unit == 0 && along % unit == 0 && across / unit <= max_step && along / unit <= max_step;
        how.is_windowed = fits;
        if (fits) how.group_step = static_cast<int>(across / unit), how.tap_step = static_cast<int>(along / unit);
        how.unit = unit;
    }
    how.moves_down = down != 0;
    if (w.rows == 1 || (over == 0 && down == 0)) return how;
    const bool fits = over > 0 && down > 0 && over % down == 0 && over / down <= max_step;
    if (!fits || (has_row_step_ && over / down != w.row_step)) {
        how.is_windowed = false;
        return how;
    }
    w.row_step = static_cast<int>(over / down);
    has_row_step_ = true;
    return how;
}

/// A value from outside the loop, which all groups of a thread must have in common.
window_reads::motion window_reads::of_outside(int v) const {
    motion how;
    const std::uint32_t varies = at(v).varies;
    how.is_windowed = (varies >> w.row_axis & 1u) == 0 && (w.rows == 1 || (varies >> w.column_axis & 1u) == 0);
    return how;
}

void window_reads::combine(motion& all, const motion& other) const {
    all.has_places = all.has_places || other.has_places;
    all.moves_down = all.moves_down || other.moves_down;
    all.is_windowed = all.is_windowed && other.is_windowed;
    if (other.group_step == 0 && other.tap_step == 0) return;
    const bool is_first = all.group_step == 0 && all.tap_step == 0;
    const bool agrees = all.group_step == other.group_step && all.tap_step == other.tap_step;
    if (is_first) all.group_step = other.group_step, all.tap_step = other.tap_step;
    if (!is_first && !agrees) all.is_windowed = false;
}

window_reads::motion window_reads::of_value(int v) {
    const value& self = at(v);
    if (self.what == value_kind::index) {
        motion how = of_layout(self.at, self.loop);
        how.has_places = true;
        // an index that is the same for all groups of a thread belongs to the taps
        if (how.tap_step > 0 && how.group_step == 0) how.is_windowed = false;
        return how;
    }
    motion how;
    if (self.what == value_kind::load) how = of_layout(self.at, self.loop);
    if (is_gather(self)) how.has_places = true;
    for (const int in : self.in)
        if (in >= 0) combine(how, at(in).loop == self.loop ? of(in) : of_outside(in));
    return how;
}

/// Puts a value that the loop needs into a window, or follows what it is computed from.
bool window_reads::use(int v) {
    if (v < 0 || at(v).loop < 0 || used_[static_cast<std::size_t>(v)] != 0) return true;
    used_[static_cast<std::size_t>(v)] = 1;
    const value& self = at(v);
    const motion& how = of(v);
    const bool is_load = self.what == value_kind::load && !is_gather(self);
    if (is_load) return !how.is_windowed || !is_shared(v) || add(v);
    if (self.what == value_kind::index) return false;  // a window has elements that are loaded or computed
    if (how.has_places && how.is_windowed) return add(v);
    if (is_gather(self)) return false;
    return std::all_of(self.in.begin(), self.in.end(), [&](int in) { return use(in); });
}

/// Whether a load is worth a window: not a filter, whose taps all threads read alike, and few of which are needed at
/// once.
bool window_reads::is_shared(int v) const {
    const value& load = at(v);
    const motion& how = motions_[static_cast<std::size_t>(v)];
    const bool everywhere =
        std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) { return stride_of(k, load.at, axis) == 0; });
    if (everywhere) return false;
    const int taps = w.taps[static_cast<std::size_t>(load.loop)];
    if (how.group_step == 0) return how.unit <= 1 && taps <= max_uniform_taps;
    return has_no_gaps(load.loop, how) && elements_of(load.loop, how) <= max_elements;
}

bool window_reads::has_no_gaps(int loop, const motion& how) const {
    if (how.group_step <= 1) return how.tap_step <= w.columns;
    return how.tap_step == 1 && how.group_step <= w.taps[static_cast<std::size_t>(loop)];
}

bool window_reads::add(int v) {
    const value& self = at(v);
    const motion& how = of(v);
    if (!has_no_gaps(self.loop, how) || elements_of(self.loop, how) > max_elements) return false;
    const auto is_same = [&](const group_window& other) {
        const value& first = at(other.value);
        const auto agrees = [&](int axis) { return stride_of(k, first.at, axis) == stride_of(k, self.at, axis); };
        return self.what == value_kind::load && first.what == value_kind::load && !is_gather(self) && first.in[0] < 0 &&
               first.input == self.input && other.group_step == how.group_step && other.tap_step == how.tap_step &&
               std::all_of(k.outer.begin(), k.outer.end(), agrees) &&
               (first.loop == self.loop ? first.at == self.at : w.down < 0);
    };
    auto found = std::find_if(w.windows.begin(), w.windows.end(), is_same);
    if (found == w.windows.end())
        found = w.windows.insert(w.windows.end(), {v, how.group_step, how.tap_step, 1, 1, how.moves_down});
    found->elements = std::max(found->elements, elements_of(self.loop, how));
    w.reads.push_back({v, static_cast<int>(found - w.windows.begin())});
    return true;
}

bool window_reads::find() {
    w.windows.clear();
    w.reads.clear();
    w.row_step = 1;
    has_row_step_ = false;
    used_.assign(k.values.size(), 0);
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (at(v).loop >= 0) of(v) = of_value(v);
    for (const value& v : k.values)
        if (v.what == value_kind::reduce && v.over >= 0 && !use(v.in[0])) return false;
    for (const kernel_store& store : k.stores)
        if (!use(store.value)) return false;
    if (k.loops.size() > 1) return true;
    // what the groups have in common is computed before the loop; several loops are inside the loop over the groups
    for (const value& v : k.values)
        for (const int in : v.in)
            if (v.loop >= 0 && in >= 0 && at(in).loop < 0 && !of_outside(in).is_windowed) return false;
    return true;
}

}  // namespace sinter::codegen
