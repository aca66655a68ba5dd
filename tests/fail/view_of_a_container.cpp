// A container is no array.
// expect: error: static assertion failed.*from_host\(v\) makes an array from a container
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, std::vector<float>& v) {
#ifdef SINTER_CONTROL
    x(all) = from_host(v);
#else
    x(all) = v;
#endif
}
