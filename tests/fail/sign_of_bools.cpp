// NumPy refuses sign(p), too.
// expect: error: static assertion failed.*sinter: this operation takes no bools
#include <sinter.hpp>
using namespace sinter;

void f(array<bool, 1>& p) {
#ifdef SINTER_CONTROL
    (void)sign(astype<int>(p));
#else
    (void)sign(p);
#endif
}
