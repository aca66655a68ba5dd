// Elements as text, in words of equal width, by the rules of NumPy's array printing:
// https://github.com/numpy/numpy/blob/v2.4.0/numpy/_core/arrayprint.py (FloatingFormat, IntegerFormat, BoolFormat).
#pragma once

#include <sinter/dtype.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::codegen {

/// The `count` dense elements as aligned words: all elements together determine the layout.
std::vector<std::string> aligned_words(dtype type, const void* elements, std::size_t count);

/// A single element with the fewest digits that distinguish it from its neighbours: "0.1", "1e+16", "True".
std::string scalar_word(dtype type, const void* element);

}  // namespace sinter::codegen
