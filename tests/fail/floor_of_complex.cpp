// What real numbers alone have is refused for complex ones.
// expect: error: static assertion failed.*sinter: this operation takes no complex operands; real\(z\), imag\(z\), abs\(z\)
#include <sinter.hpp>
using namespace sinter;

void f(array<std::complex<float>, 1>& z) {
#ifdef SINTER_CONTROL
    auto e = floor(real(z));
#else
    auto e = floor(z);
#endif
    (void)e;
}
