// NumPy has no sign of bools, either.
// expect: error: static assertion failed.*sinter: unary \+ takes no bools: convert them with astype<int>\(x\)
#include <sinter.hpp>
using namespace sinter;

auto f(const array<bool, 1>& x) {
#ifdef SINTER_CONTROL
    return +astype<int>(x);
#else
    return +x;
#endif
}
