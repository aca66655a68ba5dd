// A view is written to where it is made.
// expect: error: static assertion failed.*sinter: tie takes arrays, views that are not kept in variables, and variables of C\+\+ numbers: tie\(a, x\(0\), s\) =
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, float& s) {
#ifdef SINTER_CONTROL
    tie(x(0), s) = pack(x(1), sum(x));
#else
    auto row = x(0);
    tie(row, s) = pack(x(1), sum(x));
#endif
}
