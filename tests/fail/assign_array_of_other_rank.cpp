// The same between two arrays.
// expect: error: static assertion failed.*sinter: the expression's rank differs from the array's: declare array<T, rank> with the expression's rank
#include <sinter.hpp>
using namespace sinter;

void f(array<double, 3>& x) {
#ifdef SINTER_CONTROL
    array<float, 3> r = x;
#else
    array<float, 2> r = x;
#endif
}
