// What row and column reductions share: a group's stages, its loops, and the views of its elements.
#pragma once

#include <codegen/lower/access.hpp>
#include <codegen/schedule/kept_values.hpp>

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter::codegen::lower {

/// How a strategy walks over a group. An empty condition is true in all threads.
struct group_walk {
    std::string noun;       ///< "row", "column": name of a group
    scalar lane;            ///< the thread's index among those of a row
    scalar first;           ///< a thread's first position in a loop; empty: 0
    int distance = 1;       ///< between a thread's consecutive accesses, in elements
    int step = 1;           ///< elements that all threads of a group take in one step, over all their accesses
    bool vectored = false;  ///< `vector_width` neighbours per access
    scalar one_thread;      ///< true in the thread that stores the group's results
    scalar in_range;        ///< true if the group exists
    /// True in the one thread that acts for an existing group.
    scalar speaker() const { return !one_thread ? in_range : in_range ? one_thread && in_range : one_thread; }
    /// Emits the scan of a step's elements by the group's threads (thread_scans.hpp). `again`: more steps may follow.
    std::function<void(int scan, device_ir::id elements, bool again)> scan_step = {};
    /// The accumulator of a fold of columns at the current element (column_folds.hpp).
    std::function<scalar(int fold)> column_fold = {};
};

/// A part of a loop. Empty begin: 0; empty end: the trip count.
struct loop_part {
    scalar begin, end;
};

class group_lowering {
public:
    group_lowering(lowering& shared, const group_walk& walked);

    /// Declares views: for each array that a loop reads or writes, the part of the current group.
    void start_views();
    /// Loads that stay in registers for all loops. `with_tail`: the end need not be a multiple of vector_width.
    void keep_in_registers(const loop_part& part = {}, bool with_tail = false);
    /// Computes the values of the group that need the results of the first `stage` loops.
    void stage(int stage);
    /// Emits a loop or a part of it. Afterwards each thread has its partial result, as in "sum_2".
    void loop(int l, const loop_part& part = {}, bool with_tail = false);
    /// Stores what exists once per group.
    void stores();

private:
    struct guard {
        scalar stop = {};      ///< accesses at or beyond it are skipped; empty: none is
        scalar in_range = {};  ///< if false, all accesses are skipped
        scalar apart = {};     ///< an end that no access reaches: a branch on it comes between a step's loads and folds
    };

    /// A row, or a part of one, that begins at any element.
    struct peeled_part {
        scalar first, stop;  ///< of its whole vectors
        scalar at;           ///< the element before or after them that is this thread's
        scalar exists;       ///< whether the thread has one
    };

    void find_aligned();
    peeled_part peel(const loop_part& part, const scalar& reach);
    void load_ends(const peeled_part& ends, int l, const std::vector<int>& loads);
    void compute_ends(const peeled_part& ends, int l, const element_function& f);
    device_ir::id view_of(device_ir::id array, int layout_position) const;
    scalar of_group(device_ir::id array, int layout_position);
    std::vector<device_ir::term> terms_of_group(int layout_position);
    access_plan plan_of(int l, bool vectored);
    std::string register_name(int v) const;
    void name_registers();
    void declare(access_plan& plan, const std::vector<int>& loads, bool cleared = false);
    void declare_accumulators(const element_function& f);
    void fold_accumulators(int l, const element_function& f);
    scalar accumulator(int r);
    scalar number_of_access() const;
    scalar kept_element(int v, bool vectored) const;
    int accesses_at_once(const std::vector<int>& loads) const;
    std::vector<int> fresh_loads(const element_function& f) const;
    void declare_kept_values(int l, bool with_beside);
    scalar kept_value(int v) const;
    scalar kept_beside(int v) const;
    void scan_steps(int l, const element_function& f, const scalar& begin, const scalar& stop);
    void scan_step(int l, const element_function& f, const scalar& stop, bool again);
    device_ir::id scanned_elements(int l, const element_function& f, access_plan& plan, const scalar& stop);
    void body(int l, const element_function& f, const guard& within);
    void part_of_body(int l, const element_function& f, const guard& within);
    void steps(int l, const element_function& f, const scalar& begin, const scalar& stop);
    void tail(int l, const element_function& f, const scalar& begin, const scalar& end, const scalar& reach);
    scalar open_access(int l, const std::vector<int>& layouts, const guard& within, bool selects = false);
    void close_access(const guard& within);
    scalar trips(int l);
    scalar whole_vectors(const scalar& end);
    scalar start(const scalar& begin);
    bool keeps() const;
    bool hides_positions() const;
    void let_position(const scalar& value);
    void hide_position();

    lowering& c;
    group_walk walk;
    kept_values values;                       ///< that loops compute for later ones
    std::vector<element_function> functions;  ///< one per loop
    std::vector<element_function> scanned;    ///< one per scan: computes its operand
    std::vector<int> kept;                    ///< register-cached loads
    std::map<int, device_ir::id> kept_registers;
    std::map<int, std::string> names;  ///< if register_cached: register names, by the first of equivalent loads
    std::map<int, device_ir::id> scan_elements;
    std::map<int, device_ir::id> value_registers;   ///< of kept values, by the first of equivalent ones
    std::map<int, device_ir::id> beside_registers;  ///< likewise, of the thread's element beside the whole vectors
    scalar position;                                ///< "k": of a thread's first access in a step, or in a part of one
    scalar first_access;                            ///< of the part, if a step is taken in parts
    scalar kept_end;                                ///< past the last of the register-cached elements
    scalar ahead;                                   ///< peeled: elements before the first aligned one
    peeled_part kept_ends;                          ///< peeled: of the register-cached elements
    std::map<int, device_ir::id> end_registers;     ///< peeled: by load
    std::string from_end;                           ///< name of a position in a loop that runs backwards
    std::map<int, device_ir::id> accumulators;  ///< by reduction, if unrolled accesses have accumulators of their own
    std::map<std::pair<device_ir::id, int>, device_ir::id> views;  ///< by array and equivalent layout
};

}  // namespace sinter::codegen::lower
