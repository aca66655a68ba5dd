// The same type on both sides.
// expect: error: static assertion failed.*sinter: a view kept in a variable is the values that its array had; write where the view is made: x\(0\) = y
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(0) = x(1);
#else
    auto row = x(0);
    row = x(1);
#endif
}
