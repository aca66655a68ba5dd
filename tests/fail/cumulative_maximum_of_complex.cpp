// Complex numbers have no order.
// expect: error: static assertion failed.*sinter: this operation takes no complex operands
#include <sinter.hpp>
using namespace sinter;

void f(array<std::complex<float>, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = cumsum(x);
#else
    auto e = cummax(x);
#endif
    (void)e;
}
