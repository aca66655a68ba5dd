// What the compiler says of a Fourier transform that is called otherwise than it is written. Part of fft.hpp.
#pragma once

#include <sinter/misuse.hpp>

namespace sinter {

SINTER_DETAIL_USAGE(fft, "fft(x, n, axis=-1, fft_norm::ortho)")
SINTER_DETAIL_USAGE(ifft, "ifft(x, n, axis=-1, fft_norm::ortho)")
SINTER_DETAIL_USAGE(rfft, "rfft(x, n, axis=-1, fft_norm::ortho)")
SINTER_DETAIL_USAGE(irfft, "irfft(x, n, axis=-1, fft_norm::ortho)")
SINTER_DETAIL_USAGE(hfft, "hfft(x, n, axis=-1, fft_norm::ortho)")
SINTER_DETAIL_USAGE(ihfft, "ihfft(x, n, axis=-1, fft_norm::ortho)")
SINTER_DETAIL_USAGE(fft2, "fft2(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(ifft2, "ifft2(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(rfft2, "rfft2(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(irfft2, "irfft2(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(fftn, "fftn(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(ifftn, "ifftn(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(rfftn, "rfftn(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(irfftn, "irfftn(x, axis={0, 1}, fft_norm::ortho)")
SINTER_DETAIL_USAGE(fftshift, "fftshift(x, axis=0)")
SINTER_DETAIL_USAGE(ifftshift, "ifftshift(x, axis=0)")
SINTER_DETAIL_USAGE_OF_NUMBERS(fftfreq, "fftfreq<float>(n, d)")
SINTER_DETAIL_USAGE_OF_NUMBERS(rfftfreq, "rfftfreq<float>(n, d)")

}  // namespace sinter
