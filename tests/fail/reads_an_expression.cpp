// `if (x == y)` compares element for element: the result is no truth value.
// expect: error: static assertion failed.*sinter: an array or expression is no C\+\+ value: .* item\(all\(x == y\)\)
#include <sinter.hpp>
using namespace sinter;

bool f(array<int, 1>& x, array<int, 1>& y) {
#ifdef SINTER_CONTROL
    if (item(all(x == y))) return true;
#else
    if (x == y) return true;
#endif
    return false;
}
