// Bits of a floating number are no operand.
// expect: error: static assertion failed.*sinter: this operator takes integers and bool only; convert with astype<T>
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    auto e = astype<int>(x) & i;
#else
    auto e = x & i;
#endif
    (void)e;
}
