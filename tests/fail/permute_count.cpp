// A permutation names every axis.
// expect: error: static assertion failed.*sinter: permute must name every axis of the operand exactly once
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 3>& x) {
#ifdef SINTER_CONTROL
    auto e = permute(x, {2, 0, 1});
#else
    auto e = permute(x, {1, 0});
#endif
    (void)e;
}
