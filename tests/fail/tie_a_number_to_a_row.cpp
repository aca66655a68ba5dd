// A C++ number takes a result of rank 0.
// expect: error: static assertion failed.*sinter: the rank of a packed expression differs from that of its target in tie
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, float& s) {
#ifdef SINTER_CONTROL
    tie(x, s) = pack(x, x(0, 0));
#else
    tie(x, s) = pack(x, x(0));
#endif
}
