// Arrays have at most eight axes.
// expect: error: static assertion failed.*sinter: an array has at most 8 axes
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 8>& x) {
#ifdef SINTER_CONTROL
    auto e = broadcast_to(x, shape<8>());
#else
    auto e = broadcast_to(x, {1, 2, 3, 4, 5, 6, 7, 8, 9});
#endif
    (void)e;
}
