// A fraction among integers.
// expect: error: .*(narrowing conversion of .1.5|cannot be narrowed to .int.)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<double, 1> a = {1.5, 2};
#else
    array<int, 1> a = {1.5, 2};
#endif
}
