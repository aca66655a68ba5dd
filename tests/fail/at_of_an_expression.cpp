// What is computed has no place to be written to.
// expect: error: static assertion failed.*sinter: at writes to a named array that is not const: at\(x, i\) = v; for an expression write put\(e, i, v\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    at(x, i, axis=0) = 1;
#else
    at(x(0), i) = 1;
#endif
}
