// An update in place keeps the array's rank.
// expect: error: static assertion failed.*sinter: an update in place cannot raise the array's rank
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& v, array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x += v;
#else
    v += x;
#endif
}
