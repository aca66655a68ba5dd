// The same of integers, where an element is no conversion away.
// expect: error: static assertion failed.*sinter: a\(\{5\}\) of an array of one axis could .*elements as a = \{5\}, extents as a\(shape\{5\}\) or empty<T>\(\{5\}\)
#include <sinter.hpp>
using namespace sinter;

void f(int n) {
#ifdef SINTER_CONTROL
    array<int, 1> a(shape{n}), b = {5}, c{5};
#else
    array<int, 1> a({n}), b = {5}, c{5};
#endif
}
