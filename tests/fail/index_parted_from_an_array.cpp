// NumPy would move the array's axis to the front.
// expect: error: static assertion failed.*sinter: an integer index beside an array of indices must be adjacent to it \(otherwise NumPy moves axes\): index twice,
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    auto e = x(newaxis)(0)(all, i);
#else
    auto e = x(newaxis)(0, all, i);
#endif
    (void)e;
}
