// Values are no expression.
// expect: error: static assertion failed.*sinter: explain does not take these arguments: write explain\(sum\(x\)\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    (void)explain(x + 1);
#else
    (void)explain({1, 2});
#endif
}
