// What is composed of rows says how it is written, too.
// expect: error: static assertion failed.*sinter: sigmoid does not take these arguments: write sigmoid\(x\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = sigmoid(x);
#else
    auto e = sigmoid(x, 2);
#endif
    (void)e;
}
