// What NumPy computes in int8 would be another number in bool: True << True is 2.
// expect: error: static assertion failed.*sinter: this operation takes no bools: .* astype<int>\(p\)
#include <sinter.hpp>
using namespace sinter;

void f(array<bool, 1>& p, array<bool, 1>& q) {
#ifdef SINTER_CONTROL
    auto e = p << 1;
#else
    auto e = p << q;
#endif
    (void)e;
}
