// Singular values are in a header of their own.
// expect: error: static assertion failed.*sinter: a matrix norm of order 2 needs singular values.*norm\(x\) without ord= is the Frobenius norm
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = norm(x, axis=1, ord=2_c);
#else
    auto e = norm(x, ord=2_c);
#endif
    (void)e;
}
