// Which shift is for which axis?
// expect: error: static assertion failed.*sinter: several shifts need as many axes: roll\(x, \{1, 2\}, axis=\{0, 1\}\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = roll(x, {1, 2}, axis={0, 1});
#else
    auto e = roll(x, {1, 2}, axis=0);
#endif
    (void)e;
}
