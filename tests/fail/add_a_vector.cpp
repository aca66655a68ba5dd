// NumPy takes a list for an array.
// expect: error: static assertion failed.*sinter: operands are arrays, expressions and C\+\+ numbers; from_host\(v\) makes an array from a container
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, std::vector<float>& v) {
#ifdef SINTER_CONTROL
    auto e = x + from_host(v);
#else
    auto e = x + v;
#endif
    (void)e;
}
