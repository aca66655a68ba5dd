// ord= is of vectors and of matrices.
// expect: error: static assertion failed.*sinter: ord= is for vectors and matrices: name one axis or two, as in norm\(x, axis=-1, ord=1_c\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 3>& x) {
#ifdef SINTER_CONTROL
    auto e = norm(x, axis={0, 1}, ord=inf);
#else
    auto e = norm(x, ord=inf);
#endif
    (void)e;
}
