// tf32 is a rounding of float32.
// expect: error: static assertion failed.*sinter: precision=tf32 is for products of float32 or complex64 operands
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<double, 2>& y) {
#ifdef SINTER_CONTROL
    auto e = matmul(x, x, precision=tf32);
    (void)y;
#else
    auto e = matmul(x, y, precision=tf32);
#endif
    (void)e;
}
