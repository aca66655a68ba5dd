// A matrix's shape for an array of three axes.
// expect: error: static assertion failed.*a shape has as many extents as the array has axes: array<T, rank>
#include <sinter.hpp>
using namespace sinter;

void f(const array<float, 2>& x) {
#ifdef SINTER_CONTROL
    array<float, 2> a(x.shape());
#else
    array<float, 3> a(x.shape());
#endif
}
