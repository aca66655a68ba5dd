// matmul takes two operands.
// expect: error: static assertion failed.*sinter: matmul takes two operands, and optionally precision=tf32: for three write matmul\(matmul\(a, b\), c\), for named
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
