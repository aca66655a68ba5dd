// at is a target.
// expect: error: static assertion failed.*sinter: at\(x, i\) is only written to; its elements are read by take\(x, i\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, const array<int, 1>& i) {
#ifdef SINTER_CONTROL
    at(x, i) = take(x, i + 1);
#else
    at(x, i) = at(x, i);
#endif
}
