// A number in parentheses is no element.
// expect: error: static assertion failed.*sinter: extents are written a\(\{rows, cols\}\), elements in as many nested braces as there are axes: a = \{\{1, 2\}, \{3, 4\}\}
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<float, 1> a = {2.5f};
#else
    array<float, 1> a(2.5f);
#endif
}
