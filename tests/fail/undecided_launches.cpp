// Run-time axes that may differ: the count is not a constant.
// expect: error: static assertion failed.*sinter: the launches of this expression depend on run-time axes or views, or on a gradient; write the axes as constants \(axis=1_c\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = x / sum(x, axis=1_c, keepdims) - max(x, axis=1_c, keepdims);
#else
    auto e = x / sum(x, axis=1, keepdims) - max(x, axis=1, keepdims);
#endif
    static_assert(launches<decltype(e)> == 1);
}
