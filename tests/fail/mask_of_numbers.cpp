// A mask is of bools.
// expect: error: static assertion failed.*sinter: where= takes bools: write a comparison
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, array<float, 1>& y) {
#ifdef SINTER_CONTROL
    auto e = sum(x, where=y != 0);
#else
    auto e = sum(x, where=y);
#endif
    (void)e;
}
