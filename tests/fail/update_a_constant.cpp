// A constant array is not updated.
// expect: error: (passing .const sinter::array.* discards qualifiers|no viable overloaded .\+=)
#include <sinter.hpp>
using namespace sinter;

void f(const array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array<float, 1> y = x + 1;
#else
    x += 1;
#endif
}
