// Windows: groups with short loops, whose neighbours share what they read or read it side by side: filters, sliding
// windows, pools, rows of three. A thread computes a tile of neighbouring groups. Each element that they read is loaded
// once, by wide accesses where the elements lie side by side, and all steps along the row are unrolled.
//
// A filter of 3 x 3 reads nine elements and nine taps per result, each at an index of its own. For 4 columns of 8 rows
// it is 60 elements for 32 results, one row of the window after the other, and every tap once. Rows of three floats,
// one per thread, are three accesses twelve bytes apart; four of them are three accesses of 16 bytes.
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/windows.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr int threads = 128;
constexpr int max_rows = 8;
constexpr int max_taps = 96;        ///< along the row: all are unrolled
constexpr int max_taps_apart = 16;  ///< where neighbours share nothing: longer rows are read well by several threads
constexpr int max_taps_down = 32;
constexpr int long_taps = 8;        ///< from these on a thread has twice the columns that share a filter
constexpr int max_registers = 112;  ///< of a thread, for its windows and accumulators
constexpr int max_unrolled = 1024;  ///< taps of a thread in the source: they cost compile time and instruction cache
constexpr int max_calls = 64;       ///< copies of function bodies in one kernel

/// A result that overwrites an operand: no other thread may read a group's elements.
bool is_in_place(const loop_nest& k) {
    return std::any_of(k.inputs.begin(), k.inputs.end(), [](const kernel_input& in) { return in.may_alias_output; });
}

class chooser {
public:
    chooser(const loop_nest& of, const device_properties& on, const std::vector<int>& aligned)
        : k(of), m(on), alignment(aligned) {}

    std::optional<schedule> choose() {
        if (!is_plain() || !place_axes()) return {};
        s.form = schedule_form::windows;
        s.block_threads = threads;
        for (w.columns = first_columns(); w.columns > 1; w.columns = fewer_columns()) {
            w.rows = 1;
            if (!fits()) continue;
            choose_rows();
            break;
        }
        take_fewer_columns();
        if (w.columns <= 1 || !pays()) return {};
        place_threads();
        if (leaves_threads_idle()) return {};
        if (!is_in_place(k)) stage_windows(k, m, threads, w);
        choose_store_vectors();
        stage_stores(k, m, threads, w);
        s.wide_index = needs_wide_index(k, std::int64_t{threads} * w.columns * w.rows);
        return s;
    }

private:
    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }
    std::int64_t columns() const { return extent_of(k, w.row_axis); }

    /// Whether a gather's index comes from memory. Those of margins are computed, once for each element of a window.
    bool gathers_by_loads() const {
        std::vector<char> loaded(k.values.size(), 0);
        for (std::size_t v = 0; v < k.values.size(); ++v) {
            const value& self = k.values[v];
            loaded[v] = self.what == value_kind::load;
            for (const int in : self.in)
                if (in >= 0 && loaded[static_cast<std::size_t>(in)] != 0) loaded[v] = 1;
            if (is_gather(self) && loaded[static_cast<std::size_t>(self.in[0])] != 0) return true;
        }
        return false;
    }

    /// Loops of ordinary groups that all have steps, and no gathers or indices outside of them.
    bool is_plain() const {
        if (gathers_by_loads()) return false;
        if (k.loops.empty() || k.outer.empty() || k.nest_axis >= 0 || has_scans(k) || folds_groups(k)) return false;
        if (outer_size(k) == 0) return false;
        const auto placed = [](const value& v) { return v.what == value_kind::index || is_gather(v); };
        return std::all_of(k.loops.begin(), k.loops.end(),
                           [&](const inner_loop& l) { return trip_count(k, l) > 0 && !l.backwards; }) &&
               std::none_of(k.values.begin(), k.values.end(), [&](const value& v) { return v.loop < 0 && placed(v); });
    }

    /// The layouts of what a loop loads, and of its indices.
    std::vector<int> layouts_in(int loop) const {
        std::vector<int> all;
        for (const value& v : k.values)
            if (v.loop == loop && (v.what == value_kind::index || v.what == value_kind::load)) all.push_back(v.at);
        return all;
    }

    /// The axis of a loop along which windows lie: it has the shortest steps among elements that also move along the
    /// row.
    int along_of(int loop) const {
        int found = -1;
        std::int64_t shortest = max_taps;
        for (const int layout : layouts_in(loop))
            for (const int axis : k.loops[static_cast<std::size_t>(loop)].axes)
                if (const std::int64_t step = stride_of(k, layout, axis); stride_of(k, layout, w.row_axis) > 0 &&
                                                                          step > 0 && step < shortest &&
                                                                          extent_of(k, axis) <= max_taps) {
                    found = axis;
                    shortest = step;
                }
        return found;
    }

    bool place_axes() {
        w.row_axis = k.outer.back();
        if (k.outer.size() > 1) w.column_axis = k.outer[k.outer.size() - 2];
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
            const int axis = along_of(l);
            if (axis < 0) return false;
            if (k.loops.size() > 1 && k.loops[static_cast<std::size_t>(l)].axes.size() > 1) return false;
            w.along.push_back(axis);
            w.taps.push_back(static_cast<int>(extent_of(k, axis)));
        }
        if (k.loops.size() == 1)
            for (const int axis : k.loops[0].axes)
                if (axis != w.along[0] && extent_of(k, axis) <= max_taps_down) w.down = axis;
        if (w.down >= 0) w.taps_down = static_cast<int>(extent_of(k, w.down));
        return true;
    }

    int widest_store() const {
        std::size_t bytes = 1;
        for (const dtype type : k.outputs) bytes = std::max(bytes, size_of(type));
        return static_cast<int>(bytes);
    }

    /// Columns that share a filter, or masks of indices, have these once for all of them. Others are as many as a
    /// store moves, so that a warp's accesses lie side by side. On an H200, with 2, 4 and 8 columns, means of 3 x 3
    /// in rows of 254 floats, whose stores move 2, take 0.531, 0.757 and 1.21 ms, means of 20 in rows of 4077 take
    /// 0.258, 0.327 and 0.550 ms, a filter of 3 x 3 with margins takes 0.152, 0.137 and 0.181 ms, one of 11 x 11
    /// 1.29, 0.938 and 0.730.
    int first_columns() {
        if (columns() < 16 / widest_store()) return static_cast<int>(columns());
        int most = moved_columns();
        if (shares_more()) most = std::max(4, 16 / widest_store()) * (w.taps[0] >= long_taps ? 2 : 1);
        while (most > columns()) most /= 2;
        return most;
    }

    /// The most columns, at least 2, that all stores move at once.
    int moved_columns() {
        for (int most = 16 / widest_store(); most > 2; most /= 2) {
            w.columns = most;
            w.whole_columns = columns() % most == 0;
            choose_store_vectors();
            if (std::all_of(w.store_vectors.begin(), w.store_vectors.end(), [&](int n) { return n >= most; }))
                return most;
        }
        return 2;
    }

    /// Whether the columns of a thread have more in common than the elements of windows.
    bool shares_more() const {
        const auto filters = [&](const value& v) {
            return v.what == value_kind::load && v.loop >= 0 && !is_gather(v) && stride_of(k, v.at, w.row_axis) == 0 &&
                   std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) { return stride_of(k, v.at, axis) == 0; });
        };
        return computes_indices(k) || std::any_of(k.values.begin(), k.values.end(), filters);
    }
    int fewer_columns() const { return w.columns / 2; }

    bool fits() {
        window_reads reads(k, w);
        if (!reads.find() || w.windows.empty()) return false;
        for (group_window& window : w.windows) window.vector = vector_of(window);
        return registers() <= max_registers && copies() <= max_unrolled && calls() <= max_calls;
    }

    int registers() const {
        std::size_t bytes = 0;
        for (const group_window& window : w.windows)
            bytes +=
                static_cast<std::size_t>(window.elements) * std::max<std::size_t>(4, size_of(at(window.value).type));
        std::size_t folded = 0;
        for (const value& v : k.values)
            if (v.what == value_kind::reduce) folded += size_of(v.type);
        return static_cast<int>((bytes + folded * static_cast<std::size_t>(w.rows * w.columns)) / 4);
    }

    /// Taps in the source, which unrolls the rows of the windows only where they are few.
    int copies() const {
        int all = 0;
        for (const int taps : w.taps) all += taps * w.columns * w.rows;
        return w.unrolled_down ? all * w.taps_down : all;
    }
    int calls() const {
        if (k.loops.size() == 1) return function_calls(k, 0) * copies();
        int all = 0;
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l)
            all += function_calls(k, l) * w.taps[static_cast<std::size_t>(l)] * w.columns * w.rows;
        return all;
    }

    /// Rows of groups, where they share rows of windows.
    void choose_rows() {
        const windows_shape one = w;
        if (w.down < 0 || w.column_axis < 0) return;
        for (int rows = max_rows; rows > 1; rows /= 2) {
            w = one;
            w.rows = rows;
            if (extent_of(k, w.column_axis) < rows || !has_blocks(2 * m.multiprocessors)) continue;
            for (const bool unrolled : {true, false}) {
                w.unrolled_down = unrolled;
                if (fits() && w.row_step < w.taps_down && shares_rows()) return;
            }
        }
        w = one;
    }
    bool shares_rows() const {
        return std::any_of(w.windows.begin(), w.windows.end(), [](const group_window& one) { return one.moves_down; });
    }
    bool has_blocks(std::int64_t least) const { return outer_size(k) >= least * threads * w.columns * w.rows; }

    /// Whether neighbours share elements, or lie so that accesses become wider than those of one group. Several threads
    /// share a group of some whole accesses: softmax of rows of 16 floats takes 0.135 ms on an H100 with two threads a
    /// row, and 0.146 with several rows per thread; sums of such rows 0.141 and 0.232.
    bool pays() const {
        if (!has_blocks(m.multiprocessors)) return false;
        const int taps = *std::max_element(w.taps.begin(), w.taps.end());
        const int of_group = rows_vector(k, alignment);
        return std::any_of(w.windows.begin(), w.windows.end(), [&](const group_window& one) {
            if (one.group_step == 0) return false;
            const bool overlaps = one.group_step <= (taps - 1) * one.tap_step;
            const bool is_wider = one.vector > of_group || taps < 4 * of_group;
            return overlaps || (one.vector > 1 && is_wider && taps <= max_taps_apart);
        });
    }

    void place_threads() {
        w.whole_columns = columns() % w.columns == 0;
        w.whole_rows = w.rows == 1 || extent_of(k, w.column_axis) % w.rows == 0;
        w.threads_across = w.column_axis < 0 ? threads : power_of_two(divide_up(columns(), w.columns), threads);
    }

    /// Whether most of a block's threads have no group: a block goes along two axes only, and both are short. Products
    /// of a batch of 3 x 3 matrices take 2.4 ms on an H200 where three threads of 128 have some.
    bool leaves_threads_idle() const {
        return w.column_axis >= 0 &&
               2 * extent_of(k, w.column_axis) <= std::int64_t{w.rows} * (threads / w.threads_across);
    }

    /// Whether all but the neighbours' own axes keep `vector` elements aligned, and the thread's first column does.
    bool keeps_alignment(int layout, int pointer, dtype type, int vector, const std::vector<int>& own,
                         std::int64_t step) const {
        const int bytes = vector * static_cast<int>(size_of(type));
        const auto position = static_cast<std::size_t>(pointer);
        if (bytes > 16 || position >= alignment.size() || alignment[position] % bytes != 0) return false;
        for (int axis = 0; axis < static_cast<int>(k.extents.size()); ++axis)
            if (std::find(own.begin(), own.end(), axis) == own.end() && stride_of(k, layout, axis) % vector != 0)
                return false;
        // the last thread of several rows is shifted back; a block that is does not store wide
        const bool shifted = k.outer.size() > 1 && columns() % w.columns != 0 && !w.stages();
        return step * w.columns % vector == 0 && (!shifted || step * (columns() - w.columns) % vector == 0);
    }

    int vector_of(const group_window& window) const {
        const value& load = at(window.value);
        if (load.what != value_kind::load || is_gather(load)) return 1;
        const int along = w.along[static_cast<std::size_t>(load.loop)];
        const std::int64_t unit =
            window.tap_step == 1 ? stride_of(k, load.at, along) : stride_of(k, load.at, w.row_axis);
        if (unit != 1) return 1;
        int vector = 16;
        while (vector > 1 && (vector > window.elements || !keeps_alignment(load.at, load.input, load.type, vector,
                                                                           {along, w.row_axis}, window.group_step)))
            vector /= 2;
        return vector;
    }

    void choose_store_vectors() {
        w.store_vectors.clear();
        for (const kernel_store& store : k.stores) {
            const auto loop = static_cast<std::size_t>(std::max(store.loop, 0));
            const int along = store.loop < 0 ? -1 : w.along[loop], taps = store.loop < 0 ? 1 : w.taps[loop];
            const bool contiguous =
                stride_of(k, store.at, w.row_axis) == taps && (along < 0 || stride_of(k, store.at, along) == 1);
            const int pointer = static_cast<int>(k.inputs.size()) + store.output;
            const dtype type = k.outputs[static_cast<std::size_t>(store.output)];
            int vector = contiguous ? 16 : 1;
            while (vector > 1 &&
                   (w.columns * taps % vector != 0 || (along >= 0 && k.outer.size() > 1 && !w.whole_columns) ||
                    !keeps_alignment(store.at, pointer, type, vector, {along, w.row_axis}, taps)))
                vector /= 2;
            w.store_vectors.push_back(vector);
        }
    }

    std::vector<int> widths() {
        choose_store_vectors();
        std::vector<int> all = w.store_vectors;
        for (const group_window& window : w.windows) all.push_back(window.vector);
        return all;
    }

    /// Where a thread stores only elements of its groups, and by shared memory, two groups suffice if accesses are as
    /// wide: a warp's accesses then lie closer together. On an H100, standardised rows of 8 floats take 0.135 ms with 2
    /// groups per thread, and 0.148 with 4.
    void take_fewer_columns() {
        const auto in_loop = [](const kernel_store& store) { return store.loop >= 0; };
        if (k.outer.size() > 1 || !std::all_of(k.stores.begin(), k.stores.end(), in_loop) || shares_more()) return;
        while (w.columns > 2 && w.columns % 2 == 0) {
            const windows_shape before = w;
            const std::vector<int> wide = widths();
            w.columns /= 2;
            if (fits() && widths() == wide) continue;
            w = before;
            return;
        }
    }

    const loop_nest& k;
    const device_properties& m;
    const std::vector<int>& alignment;
    schedule s;
    windows_shape& w = s.windows;
};

}  // namespace

std::optional<schedule> schedule_windows(const loop_nest& k, const device_properties& m,
                                         const std::vector<int>& alignment) {
    std::optional<schedule> chosen = chooser(k, m, alignment).choose();
    if (chosen && is_in_place(k) && !(chosen->windows.whole_columns && chosen->windows.whole_rows)) return {};
    return chosen;
}

}  // namespace sinter::codegen
