// `x[i] = 1`: at() writes there.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to: assign to an array, or to a view of one, as in x\(0\) = y or
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    at(x, i, axis=0) = 1;
#else
    x(i) = 1;
#endif
}
