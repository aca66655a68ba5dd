// An element of a matrix takes two indices.
// expect: error: static assertion failed.*sinter: a host_span takes one index per axis
#include <sinter.hpp>
using namespace sinter;

float f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    return x.host_view()(1, 2);
#else
    return x.host_view()(1);
#endif
}
