// tie takes several results.
// expect: error: static assertion failed.*sinter: tie takes the results of a pack: tie\(a, b\) = pack\(sum\(x\), max\(x\)\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, float& s) {
#ifdef SINTER_CONTROL
    tie(s) = pack(sum(x));
#else
    tie(s) = sum(x);
#endif
}
