// The same of float16, which an int converts to in braces alone.
// expect: error: static assertion failed.*sinter: a\(\{5\}\) of an array of one axis could .*elements as a = \{5\}, extents as a\(shape\{5\}\) or empty<T>\(\{5\}\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<float16, 1> a({float16(5000)}), b = {5000};
#else
    array<float16, 1> a({5000}), b = {5000};
#endif
}
