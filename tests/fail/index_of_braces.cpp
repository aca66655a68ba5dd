// NumPy takes a list of positions.
// expect: error: static assertion failed.*several positions are an array of integers: x\(array\{0, 2\}\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& m) {
#ifdef SINTER_CONTROL
    (void)m(all, array{0, 2});
#else
    (void)m(all, {0, 2});
#endif
}
