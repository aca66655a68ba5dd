// matmul takes two operands.
// expect: error: static assertion failed.*sinter: matmul takes two operands and precision=tf32: matmul\(matmul\(a, b\), c\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = matmul(matmul(x, x), x);
#else
    auto e = matmul(x, x, x);
#endif
    (void)e;
}
