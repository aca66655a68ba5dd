// What the headers of this folder are written in: C++ that the host compiles and that kernels get as text.
//
// cmake/NumberText.cmake cuts from each of them what stands between the lines "// <kernel text>" and "// </kernel
// text>" and puts CUDA's words in the place of those below. The text is a list of pieces, separated by blank lines; the
// comment before a piece begins with the name that the piece defines, so that a kernel gets the pieces that it uses and
// no more (codegen/analysis/number_text.cpp).
#pragma once

#include <bit>
#include <cstdint>

/// Before a function of both: `__device__` in a kernel. Always inlined on the host, where the loops are compiled for
/// several instruction sets and must not share a function. Functions that call <cmath> are templates, which may be
/// constexpr without ever being constant.
#define SINTER_BOTH __attribute__((always_inline)) constexpr
/// Before a struct's name: its alignment in a kernel, where one access shall move all of it.
#define SINTER_ALIGNED(bytes)

namespace sinter::detail {

/// A float's bits, and the float with the given bits: `__float_as_uint` and `__uint_as_float` in a kernel.
constexpr unsigned as_bits(float x) { return std::bit_cast<unsigned>(x); }
constexpr float as_float(unsigned bits) { return std::bit_cast<float>(bits); }

}  // namespace sinter::detail
