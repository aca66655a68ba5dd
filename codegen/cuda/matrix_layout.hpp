// Helper kernels for linear-algebra libraries, whose matrices are column-major: they convert layouts and finish
// results.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>

namespace sinter::codegen {

/// `transpose` transposes a matrix, optionally to complex or with conjugation; `identity` writes the identity;
/// `triangle` copies a triangle and writes zeros elsewhere; `pivots` makes a library's pivots zero-based; `determinant`
/// multiplies the diagonal of LU factors. `inspect` looks for NaN, optionally infinity, too; `spoil` then writes NaN to
/// the results, also if the library has failed.
enum class layout_kernel : std::uint8_t { transpose, identity, triangle, pivots, determinant, inspect, spoil };

inline constexpr int layout_block = 256;
inline constexpr int layout_tile = 32;  ///< rows and columns per block of `transpose`

/// What the source depends on.
struct layout_source {
    layout_kernel which{};
    dtype type{};             ///< of the matrices that are written: float32, float64, complex64 or complex128
    bool from_real = false;   ///< `transpose`: reads real elements
    bool conjugates = false;  ///< `transpose`
};

/// The kernel's name, as profilers show it.
std::string layout_name(const layout_source& s);

/// A complete translation unit.
std::string layout_text(const layout_source& s);

}  // namespace sinter::codegen
