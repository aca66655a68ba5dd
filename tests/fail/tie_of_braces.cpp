// Targets are variables.
// expect: error: static assertion failed.*sinter: tie takes arrays, views and variables
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    tie(x) = pack(x + 1);
#else
    tie(x, {1, 2}) = pack(x + 1, x);
#endif
}
