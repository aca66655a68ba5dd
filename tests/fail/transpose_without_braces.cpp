// The axes are one argument.
// expect: error: static assertion failed.*sinter: the axes are one list in braces: permute\(x, \{2, 0, 1\}\); transpose\(x\) reverses them
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = transpose(x, {1, 0});
#else
    auto e = transpose(x, 1, 0);
#endif
    (void)e;
}
