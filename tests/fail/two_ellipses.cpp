// Which would stand for how many axes?
// expect: error: static assertion failed.*sinter: one ellipsis at most
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = x(ellipsis, 0);
#else
    auto e = x(ellipsis, 0, ellipsis);
#endif
    (void)e;
}
