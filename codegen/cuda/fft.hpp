// The kernels of discrete Fourier transforms.
#pragma once

#include <codegen/cuda/print_element.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Format of a line's elements in memory. `half`: only the first n / 2 + 1 elements, for Hermitian lines such as the
/// spectrum of real elements. `real`: no imaginary parts.
enum class fft_elements : std::uint8_t { complex, real, half };

/// What the source of a kernel depends on.
struct fft_source {
    dtype real = dtype::float32;  ///< of the parts: float32 or float64
    bool backward = false;        ///< exp(+2 pi i jk / n) rather than exp(-2 pi i jk / n)
    fft_elements loads = fft_elements::complex, stores = fft_elements::complex;

    // Used by `pass` only:
    int length = 1;            ///< of a line
    std::vector<int> radices;  ///< their product is the length; each is 1 or has only the prime factors 2 to 13
    int threads = 1;           ///< per line
    int lines = 1;             ///< per block
    bool loads_along = true;   ///< neighbouring threads load neighbours of a line rather than neighbouring lines
    bool stores_along = true;  ///< likewise for stores
    bool twiddles = false;     ///< the pass is the first part of a longer transform
};

/// `pass` transforms lines in registers and shared memory. Bluestein's algorithm turns a transform of any length into a
/// convolution: `chirp` multiplies lines by a chirp and pads with zeros, `filter` writes the inverse chirp, `multiply`
/// multiplies spectra, `dechirp` multiplies by the chirp again. `scale` multiplies by a factor after libraries that do
/// not.
enum class fft_kernel : std::uint8_t { pass, chirp, filter, multiply, dechirp, scale };

/// Threads per block of the kernels other than `pass`.
inline constexpr int fft_block = 256;

/// The kernel's name, as profilers show it: fft_complex64_4096.
std::string fft_name(fft_kernel which, const fft_source& s);

/// A complete translation unit. `from`, `to`: the functions that stand for the array that `pass` and `chirp` load, and
/// for the one that `pass` and `dechirp` store; null: arrays.
std::string fft_text(fft_kernel which, const fft_source& s, const printed_element* from = nullptr,
                     const printed_element* to = nullptr);

/// Source of the function dft_<radix>, which transforms `radix` elements.
std::string butterfly_text(int radix);

}  // namespace sinter::codegen
