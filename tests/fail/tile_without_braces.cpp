// The counts are one argument.
// expect: error: static assertion failed.*sinter: tile takes a list in braces, one count per axis: tile\(x, \{2, 3\}\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = tile(x, {2, 3});
#else
    auto e = tile(x, 2, 3);
#endif
    (void)e;
}
