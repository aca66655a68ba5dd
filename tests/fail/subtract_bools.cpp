// NumPy refuses p - q, too; beside a number it is a number.
// expect: error: static assertion failed.*sinter: this operation takes no bools: .* astype<int>\(p\)
#include <sinter.hpp>
using namespace sinter;

void f(array<bool, 1>& p, array<bool, 1>& q) {
#ifdef SINTER_CONTROL
    auto e = (p - 1) - astype<int>(q);
#else
    auto e = p - q;
#endif
    (void)e;
}
