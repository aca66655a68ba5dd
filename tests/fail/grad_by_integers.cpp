// Integers have no slope.
// expect: error: static assertion failed.*sinter: derivatives are of floating numbers with respect to floating numbers; integers, bools and complex numbers have
#include <sinter.hpp>
using namespace sinter;

void f(const array<int, 1>& x) {
#ifdef SINTER_CONTROL
    const auto y = astype<float>(x);
    const array<float, 1> g = grad(sum(y * y), y);
#else
    const auto g = grad(sum(0.5 * x), x);
#endif
}
