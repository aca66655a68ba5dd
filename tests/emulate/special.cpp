// CUDA's functions that the C library lacks, for emulated kernels: those of the host back end.
#include <sinter/op/math.hpp>

#define SINTER_SPECIAL(name)                                                                   \
    extern "C" __attribute__((visibility("default"))) double sinter_emulate_##name(double x) { \
        return sinter::detail::special::name(x);                                               \
    }
#include <sinter/op/special.def>
