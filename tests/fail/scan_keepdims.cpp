// A cumulative function leaves all axes as they are.
// expect: error: static assertion failed.*sinter: a cumulative function keeps its operand's shape: its options are axis=, exclusive and reverse
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = cumsum(x, axis=1);
#else
    auto e = cumsum(x, axis=1, keepdims);
#endif
    (void)e;
}
