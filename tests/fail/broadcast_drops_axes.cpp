// Broadcasting adds axes, it takes none away.
// expect: error: static assertion failed.*sinter: broadcast_to cannot drop axes; the shape has fewer than the operand
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = broadcast_to(x, {2, 3, 4});
#else
    auto e = broadcast_to(x, {12});
#endif
    (void)e;
}
