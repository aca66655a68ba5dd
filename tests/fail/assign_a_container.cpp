// A container is no array.
// expect: error: static assertion failed.*sinter: a container does not convert to an array: write x = from_host\(v\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, std::vector<float>& v) {
#ifdef SINTER_CONTROL
    x = from_host(v);
#else
    x = v;
#endif
}
