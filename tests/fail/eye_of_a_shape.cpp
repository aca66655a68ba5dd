// A matrix is made of its numbers of rows and columns.
// expect: error: static assertion failed.*sinter: eye does not take these arguments: write eye<float>\(rows, columns, offset\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = eye<float>(x.shape()[0], x.shape()[1]);
#else
    auto e = eye<float>(x.shape());
#endif
    (void)e;
}
