// The choices are arrays, expressions and numbers.
// expect: error: static assertion failed.*sinter: where takes a condition and two choices
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    (void)where(x > 0, 3, array{1, 2});
#else
    (void)where(x > 0, 3, {1, 2});
#endif
}
