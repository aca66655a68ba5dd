// Which would stand for how many axes?
// expect: error: static assertion failed.*sinter: at most one ellipsis: it stands for all axes that have no other index
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
