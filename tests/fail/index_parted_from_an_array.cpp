// NumPy would move the array's axis to the front.
// expect: error: static assertion failed.*sinter: integers beside an array of indices must stand next to it \(NumPy moves axes otherwise\): index twice
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
