// A mask may leave nothing, of which a maximum has no value.
// expect: error: static assertion failed.*sinter: this reduction has no value for no elements: where= needs initial= as well
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = max(x, where=x > 0, initial=0);
#else
    auto e = max(x, where=x > 0);
#endif
    (void)e;
}
