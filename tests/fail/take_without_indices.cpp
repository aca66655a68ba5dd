// Which elements?
// expect: error: static assertion failed.*sinter: take needs an array of integers as indices: take\(x, i, axis=0\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    auto e = take(x, i, axis=0);
#else
    auto e = take(x);
#endif
    (void)e;
}
