// CUDA's functions that the C library has not, for emulated kernels: they are the host back end's.
#include <sinter/op/math.hpp>

#define SINTER_SPECIAL(name)                                                                   \
    extern "C" __attribute__((visibility("default"))) double sinter_emulate_##name(double x) { \
        return sinter::detail::special::name(x);                                               \
    }
#include <sinter/op/special.def>
