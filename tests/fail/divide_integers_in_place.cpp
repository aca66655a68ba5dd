// `/` is true division: its result is floating, so integers cannot be divided in place.
// expect: error: static assertion failed.*sinter: assignment does not convert to a lower kind \(bool < integer < floating < complex\): write astype<T>\(\.\.\.\)
#include <sinter.hpp>
using namespace sinter;

void f(array<int, 1>& i) {
#ifdef SINTER_CONTROL
    i *= 2;
#else
    i /= 2;
#endif
}
