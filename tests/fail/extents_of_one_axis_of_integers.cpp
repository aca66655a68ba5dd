// The same of integers, where an element is no conversion away.
// expect: error: static assertion failed.*sinter: a\(\{5\}\) is ambiguous for an array of one axis, the element 5 or the extent 5: write elements as a = \{5\}, extents
#include <sinter.hpp>
using namespace sinter;

void f(int n) {
#ifdef SINTER_CONTROL
    array<int, 1> a(shape{n}), b = {5}, c{5};
#else
    array<int, 1> a({n}), b = {5}, c{5};
#endif
}
