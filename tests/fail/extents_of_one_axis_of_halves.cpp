// The same of float16, which an int converts to in braces alone.
// expect: error: static assertion failed.*sinter: a\(\{5\}\) is ambiguous for an array of one axis, the element 5 or the extent 5: write elements as a = \{5\}, extents
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<float16, 1> a({float16(5000)}), b = {5000};
#else
    array<float16, 1> a({5000}), b = {5000};
#endif
}
