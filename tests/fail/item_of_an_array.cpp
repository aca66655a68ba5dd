// item() gives one number.
// expect: error: static assertion failed.*sinter: item\(\) takes an expression of rank 0: reduce it first, as in item\(sum\(x\)\)
#include <sinter.hpp>
using namespace sinter;

float f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    return item(sum(x));
#else
    return item(x);
#endif
}
