// A selection is written to where it is made.
// expect: error: static assertion failed.*sinter: a selection in a variable is read-only, because it has the values of the moment it was made: write x\(mask\) = v
#include <sinter/masks.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    x(x > 0) = x(x < 0);
#else
    auto positive = x(x > 0);
    positive = x(x < 0);
#endif
}
