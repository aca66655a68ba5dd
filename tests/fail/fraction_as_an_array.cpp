// A number in parentheses is no element.
// expect: error: static assertion failed.*sinter: extents go into a.*elements into as many braces as there are axes
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<float, 1> a = {2.5f};
#else
    array<float, 1> a(2.5f);
#endif
}
