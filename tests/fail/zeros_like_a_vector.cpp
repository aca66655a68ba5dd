// A container has no shape that arrays could take.
// expect: error: static assertion failed.*sinter: zeros_like does not take these arguments: write zeros_like\(x\) or zeros_like<float>\(x\), of arrays
#include <sinter.hpp>
#include <vector>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    auto e = zeros_like(from_host(v));
#else
    auto e = zeros_like(v);
#endif
    (void)e;
}
