// There is no greatest of no elements for an exclusive maximum to begin with.
// expect: error: static assertion failed.*sinter: exclusive begins with the reduction of no elements, and this function has no value for it \(cumsum and cumprod
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = cumsum(x, exclusive);
#else
    auto e = cummax(x, exclusive);
#endif
    (void)e;
}
