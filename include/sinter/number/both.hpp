// Macros and functions for this folder's headers: C++ that the host compiles and kernels receive as source.
//
// cmake/NumberText.cmake extracts the source between the lines "// <kernel text>" and "// </kernel text>" of each
// header and replaces the macros below by CUDA's keywords. The source is a list of snippets separated by blank lines.
// The comment before a snippet begins with the name that it defines, so that a kernel includes only the snippets it
// uses (codegen/analysis/device_snippets.cpp).
#pragma once

#include <bit>
#include <cstdint>

/// Marks a function for host and device: `__device__` in a kernel. Always inlined on the host, where loops are compiled
/// for several instruction sets and must not share a function. Functions that call <cmath> are templates, which may be
/// declared constexpr without ever being constant.
#define SINTER_BOTH __attribute__((always_inline)) constexpr
/// Before a struct's name: its alignment in a kernel, so that one access moves the whole struct.
#define SINTER_ALIGNED(bytes)

namespace sinter::detail {

/// Bit casts between float and unsigned: `__float_as_uint` and `__uint_as_float` in a kernel.
constexpr unsigned as_bits(float x) { return std::bit_cast<unsigned>(x); }
constexpr float as_float(unsigned bits) { return std::bit_cast<float>(bits); }

}  // namespace sinter::detail
