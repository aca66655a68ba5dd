// The elements that a mask selects are no operand: how many there are is known to the device alone.
// expect: error: static assertion failed.*sinter: only the device knows how many elements x\(mask\) has: compute before you select, as in \(x \* 2\)\(mask\)
#include <sinter/masks.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array<float, 1> y = (x * 2)(x > 0);
#else
    array<float, 1> y = x(x > 0) * 2;
#endif
}
