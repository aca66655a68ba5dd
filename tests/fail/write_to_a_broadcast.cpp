// Of repeated elements one would be written several times.
// expect: error: static assertion failed.*sinter: an expression has no elements to write to: assign to an array, or to a view of one, as in x\(0\) = y or
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    expand_dims(x, axis=0) = 1;
#else
    broadcast_to(x, {2, 3, 4}) = 1;
#endif
}
