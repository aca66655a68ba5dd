// Both sides are of one type, and still nothing is there to be written to.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to: assign to an array, or to a view of one, as in x\(0\) = y or
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    transpose(x) = transpose(x + 2);
#else
    transpose(x + 1) = transpose(x + 2);
#endif
}
