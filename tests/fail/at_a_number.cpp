// One place needs no array.
// expect: error: static assertion failed.*sinter: at takes an array of indices: at\(x, i\) = v; for a single index write x\(3\) = v
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(1) = 1;
#else
    at(x, 1, axis=0) = 1;
#endif
}
