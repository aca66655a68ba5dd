// An array of one rank cannot take an expression of another.
// expect: error: static assertion failed.*sinter: the expression's rank differs from the array's: declare array<T, rank> with the expression's rank
#include <sinter.hpp>
using namespace sinter;

void f(array<double, 3>& x) {
#ifdef SINTER_CONTROL
    array<double, 2> r = sum(x, axis=0);
#else
    array<double, 2> r = x + 1;
#endif
}
