// An option without a value is given by its name alone.
// expect: error: static assertion failed.*sinter: exclusive and reverse take no value: write cumsum\(x, axis=1, reverse\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = cumsum(x, exclusive);
#else
    auto e = cumsum(x, exclusive = true);
#endif
    (void)e;
}
