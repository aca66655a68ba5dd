// A container is no array to views, either.
// expect: error: static assertion failed.*sinter: diagonal does not take these arguments: write diagonal\(x, offset\), of arrays and expressions; from_host\(v\) makes an array from a container
#include <sinter.hpp>
#include <vector>
using namespace sinter;

void f(std::vector<std::vector<float>>& v) {
#ifdef SINTER_CONTROL
    auto e = diagonal(from_host(v));
#else
    auto e = diagonal(v);
#endif
    (void)e;
}
