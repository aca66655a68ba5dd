// `array<float16, 1> a({5000})`: with one axis braces hold elements, and an int is none of float16.
// expect: error: static assertion failed.*braces hold the elements
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<float16, 1> a({float16(5000)});
#else
    array<float16, 1> a({5000});
#endif
}
