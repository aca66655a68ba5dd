// A matrix's shape for an array of three axes.
// expect: error: static assertion failed.*sinter: a container does not convert to an array: write from_host\(v\); a shape has one extent per axis of array<T, rank>
#include <sinter.hpp>
using namespace sinter;

void f(const array<float, 2>& x) {
#ifdef SINTER_CONTROL
    array<float, 2> a(x.shape());
#else
    array<float, 3> a(x.shape());
#endif
}
