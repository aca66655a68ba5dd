// An array of one rank cannot take an expression of another.
// expect: error: static assertion failed.*sinter: the expression's rank is not the array's: array<T, rank>
#include <sinter.hpp>
using namespace sinter;

void f(array<double, 3>& x) {
#ifdef SINTER_CONTROL
    array<double, 2> r = sum(x, axis=0);
#else
    array<double, 2> r = x + 1;
#endif
}
