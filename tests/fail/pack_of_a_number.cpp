// A number needs no evaluation.
// expect: error: static assertion failed.*sinter: pack does not take these arguments: write pack\(sum\(x\), max\(x\)\), of arrays and expressions
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = pack(sum(x), max(x));
#else
    auto e = pack(sum(x), 7);
#endif
    (void)e;
}
