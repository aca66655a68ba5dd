// `x[0]`, as in NumPy; `x[0, 1]` would be `x[1]` to C++.
// expect: error: static assertion failed.*sinter: index with parentheses: x\(i, j\), x\(all, range\(1, end\)\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto row = x(0);
#else
    auto row = x[0];
#endif
    (void)row;
}
