// A result needs somewhere to go.
// expect: error: static assertion failed.*sinter: tie takes arrays, views that are not kept in variables, and variables of C\+\+ numbers: tie\(a, x\(0\), s\) =
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, float& s) {
#ifdef SINTER_CONTROL
    tie(x, s) = pack(x, sum(x));
#else
    tie(x + 1, s) = pack(x, sum(x));
#endif
}
