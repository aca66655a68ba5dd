// Integers are not truth values.
// expect: error: static assertion failed.*sinter: assignment converts within a kind and upwards .* say astype<T>
#include <sinter.hpp>
using namespace sinter;

void f(array<bool, 1>& b, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    b = i != 0;
#else
    b = i + 1;
#endif
}
