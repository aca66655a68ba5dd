// NumPy would take the pairs, and not the rows and columns.
// expect: error: static assertion failed.*sinter: one ellipsis and one array of indices at most: x\(i, all\)\(all, j\) has the rows i and columns j
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    auto e = x(i, all)(all, i);
#else
    auto e = x(i, i);
#endif
    (void)e;
}
