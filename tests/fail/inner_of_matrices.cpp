// inner is of vectors.
// expect: error: static assertion failed.*sinter: inner takes two vectors; for matrices write matmul\(a, transpose\(b\)\), for more axes einsum
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
