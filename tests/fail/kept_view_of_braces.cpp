// A view in a variable is read-only.
// expect: error: static assertion failed.*sinter: a view in a variable is read-only
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& m) {
#ifdef SINTER_CONTROL
    m(0) = {1, 2};
#else
    auto row = m(0);
    row = {1, 2};
#endif
}
