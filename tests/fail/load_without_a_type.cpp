// What a file holds is known at run time only.
// expect: error: static assertion failed.*sinter: say what the file holds: load_npy<double, 2>\(path\); inspect_npy\(path\)
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
