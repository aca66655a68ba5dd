// A result needs somewhere to go.
// expect: error: static assertion failed.*sinter: tie names arrays, views where they are made, and variables of C\+\+ numbers
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, float& s) {
#ifdef SINTER_CONTROL
    tie(x, s) = pack(x, sum(x));
#else
    tie(x + 1, s) = pack(x, sum(x));
#endif
}
