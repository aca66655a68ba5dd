// Complex numbers have no order.
// expect: error: static assertion failed.*sinter: this operation takes no complex operands; real\(z\), imag\(z\), abs\(z\)
#include <sinter.hpp>
using namespace sinter;

void f(array<std::complex<double>, 1>& z) {
#ifdef SINTER_CONTROL
    auto e = abs(z) < 1;
#else
    auto e = z < 1;
#endif
    (void)e;
}
