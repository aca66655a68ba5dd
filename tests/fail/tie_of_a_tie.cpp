// A swap by tie would copy references, and swap nothing.
// expect: error: static assertion failed.*sinter: tie takes the results of a pack: tie\(a, b\) = pack\(
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, array<float, 1>& y) {
#ifdef SINTER_CONTROL
    tie(x, y) = pack(1 * y, 1 * x);
#else
    tie(x, y) = tie(y, x);
#endif
}
