// Names of a kernel's values and arrays, and predicates on values.
#pragma once

#include <codegen/lower/kernel_class.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// The step of a class's layout along an axis.
inline step step_of(const loop_nest& k, int layout_position, int axis) {
    return static_cast<step>(stride_of(k, layout_position, axis));
}

/// The name of a value in the source: op and number, "multiply_1"; scalar argument, "s0"; a load's input, "x0". A
/// constant has none.
std::string value_name(const loop_nest& k, int value);

/// "x0" for the only load of input 0 in its loop, "x0_b" for the second. Group loads and gathers share one numbering.
std::string load_name(const loop_nest& k, int load);

/// The pointer of an input or output in the signature.
inline std::string input_name(int input) { return "x" + std::to_string(input); }
inline std::string output_name(int output) { return "out" + std::to_string(output); }

/// Whether a load is a gather: its index depends on a computed value.
inline bool is_displaced(const value& v) { return v.what == value_kind::load && v.in[0] >= 0; }

/// Whether a value of the loop (group_level: of a kernel without inner loops) is an index or a gather, and so depends
/// on the index of the element.
bool is_placed(const loop_nest& k, int value, int loop);

/// Whether a value is loaded once per element of its loop, or of an elementwise kernel.
bool is_element_load(const loop_nest& k, int value);

/// The layouts of all loads, indices and stores.
std::vector<int> layouts_of(const loop_nest& k);

}  // namespace sinter::codegen
