// The path comes first, as in np.save.
// expect: error: static assertion failed.*sinter: save_npy does not take these arguments: write save_npy\(path, x\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    save_npy("x.npy", x);
#else
    save_npy(x, "x.npy");
#endif
}
