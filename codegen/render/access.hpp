// Loads and stores of one step of a thread: `unroll` accesses of `vector` neighbours each. All loads of a step are
// issued before the first of them is used, so that they are under way together.
#pragma once

#include <codegen/render/element.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sinter::codegen {

/// How the accesses of one loop are spelled.
struct access_plan {
    std::vector<int> axes;                      ///< that the accesses go along: the loop's, or the outer ones
    bool vectored = false;                      ///< `vector` neighbours an access; else one
    int fast = -1;                              ///< the axis of the neighbours; the last of `axes` where it is -1
    std::function<std::string(int)> source;     ///< the pointer behind a load value
    std::function<std::string(int)> target;     ///< the pointer behind a store
    std::function<std::string(int)> registers;  ///< the name of the array that holds a load value's elements
    std::function<std::string(int)> running;    ///< a scan's value at the present element
    std::function<std::string(int)> elsewhere;  ///< a load value's element where it is in no register, else empty
};

/// The plan of a kernel without loops: accesses go along `axes`, and pointers are the arrays'.
access_plan whole_arrays(context& c, const std::vector<int>& axes);
/// The outer axes but for two, along which a block or a thread stands still.
std::vector<int> outer_axes_beside(const kernel& k, int one, int other);
/// Names the indices along such axes, which a position in the grid tells.
void place_beside(context& c, const std::vector<int>& axes, const std::string& position, const element_function& f);

/// "const float x1_value = x1[0];" for each load outside the element function.
void load_outside(context& c, const element_function& f);

/// Whether an access along these axes moves `vector` neighbours, rather than one element that they all share.
bool is_vector_access(const context& c, const access_plan& p, int layout_position);

/// "float_x4 x0_at[4];"
void declare_registers(context& c, const access_plan& p, const std::vector<int>& loads, bool cleared = false);
/// "x0_at[u] = ...;" for the element at the current index.
void load_lines(context& c, const access_plan& p, const std::vector<int>& loads);
/// A load's element in its register, at the present access and neighbour.
std::string element_text(const context& c, const access_plan& p, int load);
/// The call of `f` for each of the neighbours, and the stores of what it computes.
void compute_lines(context& c, const access_plan& p, const element_function& f,
                   const std::function<std::string(int)>& accumulator);

/// Where an element lies: the operand of `f.places` at the current index, `lane` neighbours further ("" for none).
std::string place_text(context& c, const access_plan& p, int value, const std::string& lane);

/// Opens and closes "for u", when there is more than one access a step.
void open_unroll(context& c);
void close_unroll(context& c);
/// "[u]", or nothing when there is one access a step.
std::string unroll_subscript(const context& c);

/// The layouts that a function's loads use, those that its computing and its stores use, and all of them.
std::vector<int> load_layouts_of(const context& c, const element_function& f);
std::vector<int> compute_layouts_of(const context& c, const element_function& f);
std::vector<int> layouts_of(const context& c, const element_function& f);

}  // namespace sinter::codegen
