// inner is of vectors.
// expect: error: static assertion failed.*sinter: inner takes two vectors; of matrices it is matmul\(a, transpose\(b\)\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = matmul(x, transpose(x));
#else
    auto e = inner(x, x);
#endif
    (void)e;
}
