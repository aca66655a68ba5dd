// The extent of an axis that is not there, by a constant.
// expect: error: static assertion failed.*sinter: the axis is out of range: the axes of a shape of rank r are -r to r-1
#include <sinter.hpp>
using namespace sinter;
using namespace sinter::literals;

auto f(const array<float, 2>& x) {
#ifdef SINTER_CONTROL
    return x.shape()[-2_c];
#else
    return x.shape()[2_c];
#endif
}
