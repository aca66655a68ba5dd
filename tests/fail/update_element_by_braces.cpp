// The view has no axes.
// expect: error: static assertion failed.*sinter: braces are nested as deep as the view has axes
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    x(0) += 1;
#else
    x(0) += {1, 2};
#endif
}
