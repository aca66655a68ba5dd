// More indices than axes.
// expect: error: static assertion failed.*sinter: there are more indices than the operand has axes
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = x(0, 0);
#else
    auto e = x(0, 0, 0);
#endif
    (void)e;
}
