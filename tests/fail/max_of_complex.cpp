// Nor has an array of them a maximum.
// expect: error: static assertion failed.*sinter: this operation takes no complex operands; real\(z\), imag\(z\), abs\(z\)
#include <sinter.hpp>
using namespace sinter;

void f(array<std::complex<float>, 2>& z) {
#ifdef SINTER_CONTROL
    auto e = max(abs(z), axis=1);
#else
    auto e = max(z, axis=1);
#endif
    (void)e;
}
