// `x++` is not of NumPy.
// expect: error: .*(no .operator\+\+\(int\).|no match for .operator\+\+.|cannot increment value of type)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    x += 1;
#else
    x++;
#endif
}
