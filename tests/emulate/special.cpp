// CUDA's functions that the C library has not, for emulated kernels: they are the host back end's.
#include <sinter/op/math.hpp>

#define SINTER_EMULATE_SPECIAL(name)                                                           \
    extern "C" __attribute__((visibility("default"))) double sinter_emulate_##name(double x) { \
        return sinter::detail::special::name(x);                                               \
    }
SINTER_EMULATE_SPECIAL(sinpi)
SINTER_EMULATE_SPECIAL(cospi)
SINTER_EMULATE_SPECIAL(erfinv)
SINTER_EMULATE_SPECIAL(erfcinv)
SINTER_EMULATE_SPECIAL(erfcx)
SINTER_EMULATE_SPECIAL(normcdf)
SINTER_EMULATE_SPECIAL(normcdfinv)
SINTER_EMULATE_SPECIAL(cyl_bessel_i0)
SINTER_EMULATE_SPECIAL(cyl_bessel_i1)
SINTER_EMULATE_SPECIAL(j0)
SINTER_EMULATE_SPECIAL(j1)
SINTER_EMULATE_SPECIAL(y0)
SINTER_EMULATE_SPECIAL(y1)
