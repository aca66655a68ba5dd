// An array of an archive has a name.
// expect: error: static assertion failed.*sinter: save_npz does not take these arguments: write save_npz\(path, \{\{"x", x\}
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, array<float, 1>& y) {
#ifdef SINTER_CONTROL
    save_npz("x.npz", {{"x", x}, {"y", y}});
#else
    save_npz("x.npz", {x, y});
#endif
}
