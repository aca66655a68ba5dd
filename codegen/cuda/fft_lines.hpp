// How the kernels of transforms access the arrays of their lines: by pointers, or by element functions in their place.
#pragma once

#include <codegen/cuda/fft.hpp>

#include <string>

namespace sinter::codegen {

/// The types `sources` and `targets`, of what a kernel loads and stores. Null: an array.
std::string line_types(const fft_source& s, const printed_element* from, const printed_element* to);

/// load_element and store_element. They follow the text of the kernels' numbers.
std::string line_functions(const fft_source& s, const printed_element* from, const printed_element* to);

}  // namespace sinter::codegen
