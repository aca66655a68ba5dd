// What is computed has no place to be written to.
// expect: error: static assertion failed.*sinter: at writes to an array that has a name and is no constant: at\(x, i\) = v; put\(e, i, v\) is an expression
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    at(x, i, axis=0) = 1;
#else
    at(x(0), i) = 1;
#endif
}
