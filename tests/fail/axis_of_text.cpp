// An axis has a number.
// expect: error: static assertion failed.*sinter: an axis is an integer, a list of integers, or a constant
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& m) {
#ifdef SINTER_CONTROL
    (void)sum(m, axis=1);
#else
    (void)sum(m, axis="rows");
#endif
}
