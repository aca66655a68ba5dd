// `array<float, 2> a(3, 4)`, as a matrix of other libraries.
// expect: error: static assertion failed.*sinter: extents are written a\(\{rows, cols\}\), elements in as many nested braces as there are axes: a = \{\{1, 2\}, \{3, 4\}\}
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<float, 2> a({3, 4});
#else
    array<float, 2> a(3, 4);
#endif
}
