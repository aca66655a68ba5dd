// What rows and columns have in common: a group's stages, its loops, and where its elements start.
#pragma once

#include <codegen/render/access.hpp>
#include <codegen/render/forms.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// How a form goes over a group.
struct group_walk {
    std::string noun;        ///< "row", "column": what a group is called
    std::string index;       ///< the group's number in the text, or empty when there is one group only
    std::string first;       ///< where a thread starts in a loop
    int distance = 1;        ///< between a thread's accesses, in elements
    int step = 1;            ///< elements that all of a group's threads take at once, with all their accesses
    bool vectored = false;   ///< `vector` neighbours an access
    std::string one_thread;  ///< true for the thread that stores the group's results, or empty when every thread may
    std::string in_range;    ///< true when the group exists, or empty when it always does
    /// Writes how the threads of a group run along the elements of a step: see running.hpp. `again`: step for step.
    std::function<void(int scan, bool again)> run_along = {};
};

class group_renderer {
public:
    group_renderer(context& shared, const group_walk& walked);

    /// Declares a pointer to where each group starts, for every array that a loop reads or writes.
    void start_pointers();
    /// Loads that stay in registers for all loops; of a part of the group, where `begin` and `end` say so.
    void resident(const std::string& begin = "", const std::string& end = "", bool with_tail = false);
    /// Values of the group that need the results of `stage` loops.
    void stage(int stage);
    /// A whole loop; its partial results end up in "sum_2", one a thread. Without `begin` and `end` it is all of the
    /// loop's trips; `with_tail` says that the end need not be a multiple of the vector.
    void loop(int l, const std::string& begin = "", const std::string& end = "", bool with_tail = false);
    /// The stores that happen once a group.
    void stores();

    /// The functions that the loops call.
    std::vector<element_function> take_functions();

private:
    std::string start_of(const std::string& pointer, int layout_position) const;
    std::string of_group(const std::string& pointer, int layout_position);
    access_plan plan_of(int l, bool vectored) const;
    void declare_accumulators(const element_function& f);
    void fold_accumulators(const element_function& f);
    std::string part() const;
    std::vector<int> fresh_loads(const element_function& f) const;
    void running_steps(int l, const element_function& f, const std::string& begin, const std::string& stop);
    void running_step(int l, const element_function& f, const std::string& stop, bool again);
    void scanned_lines(int l, const element_function& f, const access_plan& plan, const std::string& stop);
    void body(int l, const element_function& f, const access_plan& plan, const std::string& guard);
    void tail(int l, const element_function& f, const std::string& begin, const std::string& end,
              const std::string& reach);
    void open_access(int l, const std::vector<int>& layouts, const std::string& guard);
    void close_access(const std::string& guard);
    std::string trips(int l);
    void name_registers();
    std::string whole_vectors(const std::string& end);
    std::string start(const std::string& begin) const;
    bool hides_positions() const;
    void hide_position();

    context& c;
    group_walk walk;
    std::vector<element_function> functions;  ///< of each loop
    std::vector<element_function> scanned;    ///< of what each scan runs along
    std::vector<int> kept;                    ///< resident loads
    std::map<int, std::string> registers;     ///< resident groups: of each load that no earlier one is equivalent to
    std::string from_end;                     ///< a position in a loop that goes backwards
    std::string kept_end;                     ///< behind the last of them
    std::map<std::pair<std::string, int>, std::string> starts;  ///< pointer and equivalent layout: name
};

}  // namespace sinter::codegen
