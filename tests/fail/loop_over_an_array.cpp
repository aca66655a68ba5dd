// `for (float v : x)`: the elements are where the host may not reach.
// expect: error: static assertion failed.*sinter: the elements may be on a device: loop over x.host_view\(\) or to_host\(e\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    for (float v : x.host_view()) (void)v;
#else
    for (float v : x) (void)v;
#endif
}
