// What a kernel's values and arrays are called, and what kinds of values there are.
#pragma once

#include <codegen/lower/kernel_class.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// The step of a layout of a class's kernel.
inline step step_of(const kernel& k, int layout_position, int axis) {
    return static_cast<step>(
        k.layouts[static_cast<std::size_t>(layout_position)].stride[static_cast<std::size_t>(axis)]);
}

/// What the source calls a value: its operation and number, "multiply_1"; its scalar argument, "s0"; its input, which a
/// load's own name begins with, "x0". A constant has no name.
std::string value_name(const kernel& k, int value);

/// "x0" for the only load of input 0 in its loop, "x0_b" for the second. What is loaded once per group meets, in a
/// loop, what is gathered there.
std::string load_name(const kernel& k, int load);

/// The pointer of an input or output, as the signature names it.
inline std::string input_name(int input) { return "x" + std::to_string(input); }
inline std::string output_name(int output) { return "out" + std::to_string(output); }

/// Whether a load is a gather: its position depends on a computed value.
inline bool is_displaced(const value& v) { return v.what == value_kind::load && v.in[0] >= 0; }

/// Whether a value of the loop (or of an elementwise kernel, for group_level) is found from where the element lies: an
/// index, or a gather.
bool is_placed(const kernel& k, int value, int loop);

/// Whether a value is loaded again for every element of its loop (or of an elementwise kernel).
bool is_element_load(const kernel& k, int value);

/// The layouts of all loads, indices and stores.
std::vector<int> layouts_of(const kernel& k);

}  // namespace sinter::codegen
