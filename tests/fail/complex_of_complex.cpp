// The parts of a complex number are real.
// expect: error: static assertion failed.*sinter: complex\(re, im\) takes real operands; for complex ones write re \+ im \* 1i, or real\(z\)
#include <sinter.hpp>
using namespace sinter;

auto f(const array<std::complex<float>, 1>& z) {
#ifdef SINTER_CONTROL
    return complex(real(z), 1);
#else
    return complex(z, 1);
#endif
}
