// A view of a constant is an expression.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to: assign to an array, or to a view of one, as in x\(0\) = y or
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(0) = 1;
#else
    std::as_const(x)(0) = 1;
#endif
}
