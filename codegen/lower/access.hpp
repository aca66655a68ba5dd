// Loads and stores of one step of a thread: `unroll` accesses of `vector_width` neighbours each. All loads of a step
// are issued before the first is used, so that they are in flight together.
#pragma once

#include <codegen/lower/element.hpp>

#include <functional>
#include <map>
#include <vector>

namespace sinter::codegen::lower {

/// Registers of a realigned gather: the two aligned vectors around its neighbours, and the first one's number in these.
struct realigned_window {
    device_ir::id vectors = device_ir::none, first = device_ir::none;
};

/// How the accesses of one loop are addressed.
struct access_plan {
    std::vector<int> axes;                         ///< axes that the accesses move along: the loop's, or the outer ones
    bool vectored = false;                         ///< `vector_width` neighbours per access; else one element
    int fast = -1;                                 ///< axis of the neighbours; -1: the last of `axes`
    std::function<device_ir::id(int)> source;      ///< array of a load, or its part that starts at the current group
    std::function<device_ir::id(int)> target;      ///< likewise for a store
    std::function<scalar(int)> scan = {};          ///< a scan's value at the current element
    std::function<scalar(int)> elsewhere = {};     ///< a load's element that is not in its register; else empty
    std::function<scalar(int)> kept = {};          ///< where a value of the current element is kept for later loops
    std::map<int, device_ir::id> registers = {};   ///< by load: the registers that hold its elements
    std::map<int, realigned_window> windows = {};  ///< by realigned gather
    const element_function* guarded = nullptr;     ///< loads only what this function uses, as far as its conditions say
};

/// The plan of a kernel without inner loops: accesses move along `axes`, and arrays are addressed from their start.
access_plan whole_arrays(const lowering& c, const std::vector<int>& axes);
/// The outer axes except two: along these, a block or a thread keeps one index.
std::vector<int> outer_axes_beside(const loop_nest& k, int one, int other);
/// Delinearizes a position in the grid into the indices of such axes.
void locate_beside(lowering& c, const std::vector<int>& axes, const scalar& position, const element_function& f);

/// "const float x1_value = x1[0];" for each load outside the element function.
void load_outside(lowering& c, const element_function& f);

/// Whether an access moves `vector_width` neighbours, rather than one element that all neighbours share.
bool is_vector_access(const lowering& c, const access_plan& p, int load);

/// Whether each neighbour of an access is loaded by itself: of what is not aligned where the access is.
bool has_single_neighbours(const lowering& c, const access_plan& p, int load);

/// Declares "float_x4 x0_at[4];" for each load and records it in the plan. `called` overrides the names; `words`: bytes
/// stay in words until they are used (device_ir::array).
void declare_registers(lowering& c, access_plan& p, const std::vector<int>& loads, bool cleared = false,
                       const std::function<std::string(int)>& called = {}, bool words = false);
/// "x0_at[u] = ...;": loads the element at the current index.
void load_registers(lowering& c, const access_plan& p, const std::vector<int>& loads);
/// The same for the wide gathers of a function, once what their displacements take is loaded.
void gather_registers(lowering& c, const access_plan& p, const element_function& f);
/// The terms of a load at the current index, those of a wide gather with its displacement. `several` neighbours have
/// the first one's.
std::vector<device_ir::term> load_terms(lowering& c, const access_plan& p, int load, bool several);
/// Whether a load is used at the current index; empty if no condition says so.
scalar is_used(lowering& c, const access_plan& p, int load);
/// Register index of the current unrolled access.
std::vector<scalar> of_access(const lowering& c);
/// Declares the window of a realigned gather; loads it; and takes the neighbours from it (realign.cpp).
void declare_window(lowering& c, access_plan& p, int load);
void load_window(lowering& c, const access_plan& p, const element_function& f, int load);
void realign_windows(lowering& c, const access_plan& p);
/// Registers of the windows of interleaved loads; element_of() finds the loads' elements in them (interleaved.cpp).
struct interleaved_registers {
    std::vector<device_ir::id> windows;
};
interleaved_registers declare_interleaved(lowering& c, access_plan& p);
void load_interleaved(lowering& c, const access_plan& p, const interleaved_registers& to);
/// A load's element in its register, for the current access and neighbour.
scalar element_of(lowering& c, const access_plan& p, int load);
/// Calls `f` for each neighbour and stores the results.
void compute(lowering& c, const access_plan& p, const element_function& f,
             const std::function<scalar(int)>& accumulator = {});

/// Where the results of an element's stores go, by store.
using results_of_stores = std::function<scalar(int)>;
/// Stores the results that `assign` assigns for each neighbour.
void store_results(lowering& c, const access_plan& p, const element_function& f,
                   const std::function<void(const results_of_stores&)>& assign);
/// Computes what `f` stores for all of a thread's accesses, op by op (op_by_op.cpp). By value: what all elements have.
std::map<int, device_ir::id> compute_op_by_op(lowering& c, const access_plan& p, const element_function& f);
/// Stores that for the current access.
void store_op_by_op(lowering& c, const access_plan& p, const element_function& f,
                    const std::map<int, device_ir::id>& computed);

/// The argument for one of `f.places` at the current index, `lane` neighbours further: an index, or a gather's pointer.
scalar index_or_gathered(lowering& c, const access_plan& p, int value, const scalar& lane = {});
/// The element of a load at the current index.
scalar loaded_element(lowering& c, const access_plan& p, int load);
/// The element of `array` at the current index.
scalar element_in(lowering& c, device_ir::id array, int layout_position, const std::vector<int>& axes);

/// The layouts used by a function's loads; by its indices, gathers and stores; and by all of these.
std::vector<int> load_layouts_of(const lowering& c, const element_function& f);
std::vector<int> compute_layouts_of(const lowering& c, const element_function& f);
std::vector<int> layouts_of(const lowering& c, const element_function& f);

}  // namespace sinter::codegen::lower
