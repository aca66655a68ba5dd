// A reduction has no direction.
// expect: error: static assertion failed.*sinter: this function has no such option; docs/operations\.md lists the options of each function
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = sum(x);
#else
    auto e = sum(x, reverse);
#endif
    (void)e;
}
