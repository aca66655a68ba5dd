// printf takes what it is given for a number.
// expect: error: static assertion failed.*sinter: an array or expression is not a C\+\+ value: pass item\(e\) to printf
#include <sinter.hpp>

#include <cstdio>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    printf("%f\n", static_cast<double>(item(sum(x))));
#else
    printf("%f\n", sum(x));
#endif
}
