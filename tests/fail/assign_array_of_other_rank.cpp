// The same between two arrays.
// expect: error: static assertion failed.*sinter: the expression's rank is not the array's: array<T, rank>
#include <sinter.hpp>
using namespace sinter;

void f(array<double, 3>& x) {
#ifdef SINTER_CONTROL
    array<float, 3> r = x;
#else
    array<float, 2> r = x;
#endif
}
