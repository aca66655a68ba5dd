// Fewer braces than axes.
// expect: error: static assertion failed.*sinter: extents are written a\(\{rows, cols\}\), elements in as many nested braces as there are axes: a = \{\{1, 2\}, \{3, 4\}\}
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<int, 2> a = {{1, 2, 3}};
#else
    array<int, 2> a = {1, 2, 3};
#endif
}
