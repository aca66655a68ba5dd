// The parts of the source of scatter_sums.cpp that classify floats by their exponents.
#pragma once

namespace sinter::codegen {

/// The layout of the bits of `element`.
extern const char* const float_bits_text;
extern const char* const double_bits_text;
/// The magnitude of a value, and the scale of a magnitude: after the bits.
extern const char* const magnitude_text;
/// Tables of magnitudes, a byte per place, and the two kernels that fill them.
extern const char* const raise_text;
extern const char* const magnitudes_text;
extern const char* const far_magnitudes_text;

}  // namespace sinter::codegen
