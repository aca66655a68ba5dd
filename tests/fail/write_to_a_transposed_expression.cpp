// Both sides are of one type, and still nothing is there to be written to.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to; an array has, and a view where it is made: x\(0\) = y
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    transpose(x) = transpose(x + 2);
#else
    transpose(x + 1) = transpose(x + 2);
#endif
}
