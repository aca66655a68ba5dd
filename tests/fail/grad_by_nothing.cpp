// By what, too, must be said.
// expect: error: static assertion failed.*sinter: grad does not take these arguments: write grad\(loss, w\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& w) {
#ifdef SINTER_CONTROL
    auto e = grad(sum(w * w), w);
#else
    auto e = grad(sum(w * w));
#endif
    (void)e;
}
