// What is computed has no place to be written to.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to; an array has, and a view where it is made: x\(0\) = y
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(0) = 5;
#else
    (x + 1)(0) = 5;
#endif
}
