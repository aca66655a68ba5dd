// `true` is no place.
// expect: error: static assertion failed.*sinter: an index is an integer, range\(...\), all or newaxis
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = x(1);
#else
    auto e = x(true);
#endif
    (void)e;
}
