// A fraction among integers.
// expect: error: static assertion failed.*sinter: a number does not convert to an element of a lower kind \(bool < integer < floating < complex\): write T\(number\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    array<double, 1> a = {1.5, 2};
#else
    array<int, 1> a = {1.5, 2};
#endif
}
