// An extent is in braces.
// expect: error: static assertion failed.*sinter: from_host does not take these arguments: write from_host\(v\)
#include <sinter.hpp>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    (void)from_host(v, {3});
#else
    (void)from_host(v, 3);
#endif
}
