// A function of three operands.
// expect: error: static assertion failed.*sinter: fma does not take these arguments: write fma\(x, y, z\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    (void)fma(x, 2, array{1, 2});
#else
    (void)fma(x, 2, {1, 2});
#endif
}
