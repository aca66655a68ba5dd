// A container is no array.
// expect: error: static assertion failed.*sinter: tanh does not take these arguments: write tanh\(x\), of arrays and expressions; from_host\(v\) makes an array from a container
#include <sinter.hpp>
#include <vector>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    auto e = tanh(from_host(v));
#else
    auto e = tanh(v);
#endif
    (void)e;
}
