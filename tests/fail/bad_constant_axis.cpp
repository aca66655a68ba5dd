// A constant axis that the operand does not have.
// expect: error: static assertion failed.*sinter: the axis is out of range: axes of an expression of rank r are -r to r-1
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 3>& x) {
#ifdef SINTER_CONTROL
    array<float, 2> y = sum(x, axis=2_c);
#else
    array<float, 2> y = sum(x, axis=3_c);
#endif
}
