// No argument at all.
// expect: error: static assertion failed.*sinter: exp does not take these arguments: write exp\(x\), of arrays and expressions
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = exp(x);
#else
    auto e = exp();
    (void)x;
#endif
    (void)e;
}
