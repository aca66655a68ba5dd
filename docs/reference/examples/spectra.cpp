// Examples of Fourier transforms.
#include <sinter/fft.hpp>

#include "show.hpp"

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<double, 1> x = {1, 2, 0, -1});
    DO(array<double, 2> y = {{1, 0}, {0, 0}});

    SECTION(fft_norm);
    SHOW(fft(x, fft_norm::forward));
    SHOW(fft(x, fft_norm::ortho));
    SECTION(fft);
    SHOW(fft(x));
    SHOW(fft(x, 2));
    SHOW(fft(y, axis=0));
    SHOW(explain(abs2(fft(x * x))).launches);
    FAILS(fft(x, 0));
    SECTION(ifft);
    SHOW(ifft(fft(x)));
    SECTION(rfft);
    SHOW(rfft(x));
    SECTION(irfft);
    SHOW(irfft(rfft(x)));
    SHOW(irfft(rfft(x), 3));
    FAILS(irfft(array<double, 1>{1}));
    SECTION(hfft);
    SHOW(hfft(x));
    SECTION(ihfft);
    SHOW(ihfft(x));
    SECTION(fft2);
    SHOW(fft2(y));
    SHOW(fft2(y, {1, 2}));
    SECTION(ifft2);
    SHOW(ifft2(y));
    SECTION(rfft2);
    SHOW(rfft2(y));
    SECTION(irfft2);
    SHOW(irfft2(rfft2(y)));
    SECTION(fftn);
    SHOW(fftn(y, axis={1, 0}));
    SECTION(ifftn);
    SHOW(ifftn(y));
    SECTION(rfftn);
    SHOW(rfftn(y));
    SECTION(irfftn);
    SHOW(irfftn(rfftn(y), {2, 2}));
    SECTION(fftfreq);
    SHOW(fftfreq(5, 0.1));
    SECTION(rfftfreq);
    SHOW(rfftfreq<float>(5));
    SECTION(fftshift);
    SHOW(fftshift(fftfreq(5)));
    SECTION(ifftshift);
    SHOW(ifftshift(fftshift(x)));
}
