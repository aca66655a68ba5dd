// A reduction is an expression, not a number: it has not run.
// expect: error: static assertion failed.*sinter: an array or expression does not convert to a C\+\+ value: write item\(e\) for one of rank 0, as in item\(sum\(x\)\) or
#include <sinter.hpp>
using namespace sinter;

double f(array<double, 1>& x) {
#ifdef SINTER_CONTROL
    return item(sum(x));
#else
    return sum(x);
#endif
}
