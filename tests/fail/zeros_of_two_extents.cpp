// `zeros<float>(3, 4)`: NumPy's second argument is the dtype.
// expect: error: static assertion failed.*sinter: several extents are given in braces, zeros<float>\(\{3, 4\}\), or as a shape: zeros<float>\(x\.shape\(\)\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    auto z = zeros<float>({3, 4});
#else
    auto z = zeros<float>(3, 4);
#endif
}
