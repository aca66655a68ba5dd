// `x > 0 ? x : -x` asks for one truth value where there are many.
// expect: error: static assertion failed.*sinter: an array or expression does not convert to a C\+\+ value: write item\(e\) for one of rank 0, as in item\(sum\(x\)\) or
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array<float, 1> y = where(x > 0, x, -x);
#else
    array<float, 1> y = x > 0 ? x : -x;
#endif
}
