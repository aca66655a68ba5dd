// A container is no array.
// expect: error: static assertion failed.*sinter: to_dlpack does not take these arguments: write to_dlpack\(x\)
#include <sinter.hpp>
#include <sinter/dlpack.hpp>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    (void)to_dlpack(from_host(v));
#else
    (void)to_dlpack(v);
#endif
}
