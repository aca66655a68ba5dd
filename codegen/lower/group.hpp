// What rows and columns have in common: a group's stages, its loops, and where its elements start.
#pragma once

#include <codegen/lower/access.hpp>

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter::codegen::lower {

/// How a strategy goes over a group. Conditions that are empty hold for all.
struct group_walk {
    std::string noun;       ///< "row", "column": what a group is called
    scalar lane;            ///< the thread among those of a row
    scalar first;           ///< where a thread starts in a loop; empty: at its beginning
    int distance = 1;       ///< between a thread's accesses, in elements
    int step = 1;           ///< elements that all of a group's threads take at once, with all their accesses
    bool vectored = false;  ///< `vector` neighbours per access
    scalar one_thread;      ///< true for the thread that stores the group's results
    scalar in_range;        ///< true when the group exists
    /// True for the one thread that acts for a group that exists.
    scalar speaker() const { return !one_thread ? in_range : in_range ? one_thread && in_range : one_thread; }
    /// Writes how the threads of a group scan the elements of a step: see thread_scans.hpp. `again`: step for step.
    std::function<void(int scan, device_ir::id elements, bool again)> scan_step = {};
};

/// A part of a loop; empty: from its beginning, to its end.
struct loop_part {
    scalar begin, end;
};

class group_lowering {
public:
    group_lowering(lowering& shared, const group_walk& walked);

    /// Declares a part of each array that a loop reads or writes: the group's.
    void start_views();
    /// Loads that stay in registers for all loops. `with_tail`: the end need not be a multiple of the vector.
    void keep_in_registers(const loop_part& part = {}, bool with_tail = false);
    /// Values of the group that need the results of `stage` loops.
    void stage(int stage);
    /// A whole loop, or a part; its partial results are in "sum_2", one per thread.
    void loop(int l, const loop_part& part = {}, bool with_tail = false);
    /// The stores that happen once per group.
    void stores();

private:
    struct guard {
        scalar stop;      ///< accesses there or beyond do not happen; empty: all happen
        scalar in_range;  ///< nor where this is false
    };

    device_ir::id view_of(device_ir::id array, int layout_position) const;
    scalar of_group(device_ir::id array, int layout_position);
    access_plan plan_of(int l, bool vectored);
    std::string register_name(int v) const;
    void name_registers();
    void declare(access_plan& plan, const std::vector<int>& loads, bool cleared = false);
    void declare_accumulators(const element_function& f);
    void fold_accumulators(const element_function& f);
    scalar accumulator(int r);
    std::vector<int> fresh_loads(const element_function& f) const;
    void scan_steps(int l, const element_function& f, const scalar& begin, const scalar& stop);
    void scan_step(int l, const element_function& f, const scalar& stop, bool again);
    device_ir::id scanned_elements(int l, const element_function& f, access_plan& plan, const scalar& stop);
    void body(int l, const element_function& f, const guard& within);
    void tail(int l, const element_function& f, const scalar& begin, const scalar& end, const scalar& reach);
    void open_access(int l, const std::vector<int>& layouts, const guard& within);
    void close_access(const guard& within);
    scalar trips(int l);
    scalar whole_vectors(const scalar& end);
    scalar start(const scalar& begin);
    bool hides_positions() const;
    void let_position(const scalar& value);
    void hide_position();

    lowering& c;
    group_walk walk;
    std::vector<element_function> functions;  ///< of each loop
    std::vector<element_function> scanned;    ///< of what each scan folds
    std::vector<int> kept;                    ///< loads that stay in registers
    std::map<int, device_ir::id> kept_registers;
    std::map<int, std::string> names;  ///< then: of each load's registers that no earlier one is equivalent to
    std::map<int, device_ir::id> scan_elements;
    scalar position;                            ///< "k": of a thread's first access in a step
    scalar kept_end;                            ///< behind the last of the kept elements
    std::string from_end;                       ///< the name of a position in a loop that goes backwards
    std::map<int, device_ir::id> accumulators;  ///< of each reduction, where it has one for each of several accesses
    std::map<std::pair<device_ir::id, int>, device_ir::id> views;  ///< by array and equivalent layout
};

}  // namespace sinter::codegen::lower
