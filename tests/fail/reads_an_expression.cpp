// `if (x == y)` compares element for element: the result is no truth value.
// expect: error: (cannot convert|no viable conversion)
#include <sinter.hpp>
using namespace sinter;

bool f(array<int, 1>& x, array<int, 1>& y) {
#ifdef SINTER_CONTROL
    return item(min(x == y));
#else
    return x == y;
#endif
}
