// `x > 0 ? x : -x` asks for one truth value where there are many.
// expect: error: static assertion failed.*sinter: an array or expression is no C\+\+ value: .*where\(c, a, b\) chooses element for element
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array<float, 1> y = where(x > 0, x, -x);
#else
    array<float, 1> y = x > 0 ? x : -x;
#endif
}
