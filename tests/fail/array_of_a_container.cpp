// A container's elements are on the host.
// expect: error: static assertion failed.*sinter: a container becomes an array by from_host\(v\)
#include <sinter.hpp>
using namespace sinter;

void f(const std::vector<float>& v) {
#ifdef SINTER_CONTROL
    array<float, 1> a = from_host(v);
#else
    array<float, 1> a(v);
#endif
}
