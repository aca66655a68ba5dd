// Which values of a kernel's loops lie in windows, given the axes and extents of a thread's tile of groups, and what
// kernels with windows do.
#pragma once

#include <codegen/schedule/features.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// Fills in windows, reads and row_step of a shape whose other members are known.
class window_reads {
public:
    window_reads(const loop_nest& of, windows_shape& into) : k(of), w(into), motions_(of.values.size()) {}

    /// False where a loop has an index or a gather in no window, or where values that differ between the groups of a
    /// tile come from outside the loop.
    bool find();

private:
    /// How a value of a loop changes from group to group and from tap to tap.
    struct motion {
        bool is_windowed = true;  ///< along the row and down only by the index of a window's element
        bool has_places = false;  ///< it is computed from indices, or a gather
        int group_step = 0, tap_step = 0;
        bool moves_down = false;
        std::int64_t unit = 0;  ///< stride of a load between neighbouring elements of the window
    };

    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }
    motion& of(int v) { return motions_[static_cast<std::size_t>(v)]; }
    int elements_of(int loop, const motion& how) const;
    /// Whether each element of a window is some group's at some tap. Others may be no indices of a gather.
    bool has_no_gaps(int loop, const motion& how) const;

    motion of_layout(int layout, int loop);
    motion of_outside(int v) const;
    void combine(motion& all, const motion& other) const;
    motion of_value(int v);
    bool use(int v);
    bool is_shared(int v) const;
    bool add(int v);

    const loop_nest& k;
    windows_shape& w;
    std::vector<motion> motions_;
    std::vector<char> used_;
    bool has_row_step_ = false;
};

/// Stages windows: a block computes each of their elements once, by neighbouring threads, and a thread reads its
/// window by wide accesses. The block's tile has the form with the fewest elements around it that fits. Its threads
/// wait for each other, so none ends early: the last block of a row is moved back as a whole.
///
/// One H100, by hand: 11 x 11 of 8192 x 8192 floats with margins takes 0.63 ms one row at a time, 0.53 with whole
/// tiles, 0.43 with the filter beside them. Of 5 x 5 only some elements are read twice: 0.25, more than unstaged.
void stage_windows(const loop_nest& k, const device_properties& m, int threads, windows_shape& w);

/// Where several accesses store what a thread computes, each of them writes a part of every other sector, and the
/// second-level cache takes each sector as often. Of one long row of groups, blocks store by shared memory instead.
void stage_stores(const loop_nest& k, const device_properties& m, int threads, windows_shape& w);

/// Accesses with which a thread stores its results of a loop, if the schedule stages them; else 0.
int staged_accesses(const loop_nest& k, const windows_shape& w, int store);

/// Adds what a kernel with such a schedule does. The groups after the last whole tile of a single row are taken one by
/// one.
void count_windows(const loop_nest& k, const schedule& s, schedule_features& made);

}  // namespace sinter::codegen
