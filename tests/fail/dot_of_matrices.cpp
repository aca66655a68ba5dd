// dot is of two vectors.
// expect: error: static assertion failed.*sinter: dot takes two vectors; for matrices write matmul\(a, b\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = dot(x(0), x(1));
#else
    auto e = dot(x, x);
#endif
    (void)e;
}
