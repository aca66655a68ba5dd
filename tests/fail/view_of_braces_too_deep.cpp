// The view has one axis.
// expect: error: static assertion failed.*sinter: braces are nested as deep as the view has axes: m\(0\) = \{1, 2\}
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& m) {
#ifdef SINTER_CONTROL
    m(0) = {1, 2};
#else
    m(0) = {{1, 2}, {3, 4}};
#endif
}
