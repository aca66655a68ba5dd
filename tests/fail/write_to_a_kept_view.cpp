// `row` is what x had, and may outlive x.
// expect: error: static assertion failed.*sinter: a view in a variable is read-only, because it has the values of the moment it was made: write x\(0\) = y, not row
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(0) = 0;
#else
    auto row = x(0);
    row = 0;
#endif
}
