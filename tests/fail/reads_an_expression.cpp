// `if (x == y)` compares element for element: the result is no truth value.
// expect: error: static assertion failed.*sinter: an array or expression does not convert to a C\+\+ value: write item\(e\) for one of rank 0, as in item\(sum\(x\)\) or
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
