// Loads and stores of one step of a thread: `unroll` accesses of `vector` neighbours each. All loads of a step are
// issued before the first of them is used, so that they are in flight together.
#pragma once

#include <codegen/lower/element.hpp>

#include <functional>
#include <map>
#include <vector>

namespace sinter::codegen::lower {

/// Where the accesses of one loop go.
struct access_plan {
    std::vector<int> axes;                        ///< that the accesses go along: the loop's, or the outer ones
    bool vectored = false;                        ///< `vector` neighbours per access; else one
    int fast = -1;                                ///< the axis of the neighbours; the last of `axes` where it is -1
    std::function<device_ir::id(int)> source;     ///< the array of a load, or the part of it that the axes start from
    std::function<device_ir::id(int)> target;     ///< that of a store
    std::function<scalar(int)> scan = {};         ///< a scan's value at the element at hand
    std::function<scalar(int)> elsewhere = {};    ///< a load's element where it is in no register, else empty
    std::map<int, device_ir::id> registers = {};  ///< of a load: where its elements are
};

/// The plan of a kernel without loops: accesses go along `axes`, and arrays are whole.
access_plan whole_arrays(const lowering& c, const std::vector<int>& axes);
/// The outer axes but for two, along which a block or a thread stands still.
std::vector<int> outer_axes_beside(const kernel& k, int one, int other);
/// Names the indices along such axes, which a position in the grid tells.
void place_beside(lowering& c, const std::vector<int>& axes, const scalar& position, const element_function& f);

/// "const float x1_value = x1[0];" for each load outside the element function.
void load_outside(lowering& c, const element_function& f);

/// Whether an access along these axes moves `vector` neighbours, rather than one element that they all share.
bool is_vector_access(const lowering& c, const access_plan& p, int layout_position);

/// "float_x4 x0_at[4];", by name; the plan knows them afterwards.
void declare_registers(lowering& c, access_plan& p, const std::vector<int>& loads, bool cleared = false,
                       const std::function<std::string(int)>& called = {});
/// "x0_at[u] = ...;" for the element at the current index.
void load_registers(lowering& c, const access_plan& p, const std::vector<int>& loads);
/// A load's element in its register, at the access and neighbour at hand.
scalar element_of(lowering& c, const access_plan& p, int load);
/// The call of `f` for each of the neighbours, and the stores of what it computes.
void compute(lowering& c, const access_plan& p, const element_function& f,
             const std::function<scalar(int)>& accumulator = {});

/// Where an element lies: the argument for one of `f.places` at the current index, `lane` neighbours further.
scalar place_of(lowering& c, const access_plan& p, int value, const scalar& lane = {});
/// An element in memory at the current index.
scalar element_in(lowering& c, device_ir::id array, int layout_position, const std::vector<int>& axes);

/// The layouts that a function's loads use, those that its computing and its stores use, and all of them.
std::vector<int> load_layouts_of(const lowering& c, const element_function& f);
std::vector<int> compute_layouts_of(const lowering& c, const element_function& f);
std::vector<int> layouts_of(const lowering& c, const element_function& f);

}  // namespace sinter::codegen::lower
