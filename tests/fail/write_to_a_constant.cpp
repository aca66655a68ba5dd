// A view of a constant is an expression.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to; an array has, and a view where it is made: x\(0\) = y
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(0) = 1;
#else
    std::as_const(x)(0) = 1;
#endif
}
