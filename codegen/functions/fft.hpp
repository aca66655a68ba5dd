// Discrete Fourier transforms of the last axes.
//
//   integers  0: the kind of transform, a value of fft_form
//             1: the number of axes that are transformed
//             2: the divisor of the result, a value of fft_scale
//             3: half_to_real only: the last extent of the result
//
// Operands are complex64 or complex128; of real_to_half float32 or float64.
#pragma once

#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

/// real_to_half returns the first n / 2 + 1 elements along the last axis of the spectrum of n real elements; the others
/// are their conjugates. half_to_real is its inverse.
enum class fft_form : std::uint8_t { forward, backward, real_to_half, half_to_real };

/// The divisor: 1, the square root of the number of elements, or that number.
enum class fft_scale : std::uint8_t { none, root, count };

/// The parameters of a call.
struct fft_call {
    fft_form form{};
    int rank = 0;              ///< number of transformed axes, the last ones
    bool wide = false;         ///< parts are float64
    std::int64_t batches = 1;  ///< product of the other axes' extents
    std::array<std::int64_t, ir::max_rank>
        lengths{};      ///< of the transforms; along the last axis, the number of real elements
    double factor = 1;  ///< multiplies the results

    bool backward() const { return form == fft_form::backward || form == fft_form::half_to_real; }
    std::int64_t last() const { return lengths[static_cast<std::size_t>(rank - 1)]; }
    /// Elements per transform of the operand, and of the result.
    std::int64_t elements_in() const { return elements(form == fft_form::half_to_real); }
    std::int64_t elements_out() const { return elements(form == fft_form::real_to_half); }

private:
    std::int64_t elements(bool half) const;
};
fft_call fft_of(const call_site& call);

/// Whether our own kernels take no longer than cuFFT. Measured on one H200: float32, one axis, lengths that are powers
/// of 2, except for real operands, for which cuFFT transforms half as many complex elements.
bool suits_kernels(const fft_call& f);

call_array transformed_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
element_access fft_by_element(const call_site& call);
call_launches fft_on_device(const call_site& call, const device_properties& m);

}  // namespace sinter::codegen
