// A container is no array to functions over axes, either.
// expect: error: static assertion failed.*sinter: mean does not take these arguments: write mean\(x, axis=1, keepdims, where=mask\).*from_host\(v\)
#include <sinter.hpp>
#include <vector>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    auto e = mean(from_host(v));
#else
    auto e = mean(v);
#endif
    (void)e;
}
