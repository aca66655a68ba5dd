// A container's elements are on the host.
// expect: error: static assertion failed.*sinter: a container does not convert to an array: write from_host\(v\); a shape has one extent per axis of array<T, rank>
#include <sinter.hpp>
using namespace sinter;

void f(const std::vector<float>& v) {
#ifdef SINTER_CONTROL
    array<float, 1> a = from_host(v);
#else
    array<float, 1> a(v);
#endif
}
