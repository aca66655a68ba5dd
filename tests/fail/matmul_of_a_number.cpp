// A number is no matrix.
// expect: error: static assertion failed.*sinter: matmul takes matrices and vectors; multiply by a single number with \*
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<float, 0>& s) {
#ifdef SINTER_CONTROL
    auto e = matmul(x, x);
    (void)s;
#else
    auto e = matmul(x, s);
#endif
    (void)e;
}
