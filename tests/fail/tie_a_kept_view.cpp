// A view is written to where it is made.
// expect: error: static assertion failed.*sinter: tie names arrays, views where they are made
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
