// An archive has several arrays.
// expect: error: static assertion failed.*sinter: load_npz does not take these arguments: write load_npz<double, 2>\(path, name\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    (void)load_npz<float, 1>("x.npz", "x");
#else
    (void)load_npz<float, 1>("x.npz");
#endif
}
