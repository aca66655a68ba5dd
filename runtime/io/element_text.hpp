// Single elements as text, in words of equal width, by the rules of NumPy's array printing:
// https://github.com/numpy/numpy/blob/v2.4.0/numpy/_core/arrayprint.py (FloatingFormat, IntegerFormat, BoolFormat).
#pragma once

#include <sinter/dtype.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::codegen {

/// The `count` dense elements as words that line up: one of the elements decides the layout of all.
std::vector<std::string> aligned_words(dtype type, const void* elements, std::size_t count);

/// One element by itself, in the fewest digits that tell it from its neighbours: "0.1", "1e+16", "True".
std::string scalar_word(dtype type, const void* element);

}  // namespace sinter::codegen
