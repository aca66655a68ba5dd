// A reduction is an expression, not a number: it has not run.
// expect: error: static assertion failed.*sinter: an array or expression is no C\+\+ value: item\(e\) gives that of rank 0
#include <sinter.hpp>
using namespace sinter;

double f(array<double, 1>& x) {
#ifdef SINTER_CONTROL
    return item(sum(x));
#else
    return sum(x);
#endif
}
