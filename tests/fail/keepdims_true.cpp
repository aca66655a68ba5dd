// `keepdims=True`, as in NumPy.
// expect: error: static assertion failed.*sinter: keepdims takes no value: write sum\(x, axis=1, keepdims\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = sum(x, axis=0, keepdims);
#else
    auto e = sum(x, axis=0, keepdims = true);
#endif
    (void)e;
}
