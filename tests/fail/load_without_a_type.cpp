// What a file holds is known at run time only.
// expect: error: static assertion failed.*sinter: load_npy does not take these arguments: write load_npy<double, 2>\(path\), with the dtype and the rank; inspect_npy\(path\) returns them at run time
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    auto x = load_npy<double, 2>("x.npy");
#else
    auto x = load_npy("x.npy");
#endif
    (void)x;
}
