// NumPy refuses -p, too.
// expect: error: static assertion failed.*sinter: this operation takes no bools: write !p for -p and p != q for p - q
#include <sinter.hpp>
using namespace sinter;

void f(array<bool, 1>& p) {
#ifdef SINTER_CONTROL
    auto e = !p;
#else
    auto e = -p;
#endif
    (void)e;
}
