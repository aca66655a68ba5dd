// Floating values become integers only where the program says so.
// expect: error: static assertion failed.*sinter: assignment does not convert to a lower kind \(bool < integer < floating < complex\): write astype<T>\(\.\.\.\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array<int, 1> i = astype<int>(x * 2);
#else
    array<int, 1> i = x * 2;
#endif
}
