// Integers are not truth values.
// expect: error: static assertion failed.*sinter: assignment does not convert to a lower kind \(bool < integer < floating < complex\): write astype<T>\(\.\.\.\)
#include <sinter.hpp>
using namespace sinter;

void f(array<bool, 1>& b, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    b = i != 0;
#else
    b = i + 1;
#endif
}
