// A container is no array.
// expect: error: static assertion failed.*sinter: to_string does not take these arguments: write to_string\(x\)
#include <sinter.hpp>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    (void)to_string(from_host(v));
#else
    (void)to_string(v);
#endif
}
