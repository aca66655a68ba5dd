// Elements are bool, integers, float and double.
// expect: error: .*constraint.*array
// expect: element_type
#include <sinter.hpp>
using namespace sinter;

#ifdef SINTER_CONTROL
void f(array<double, 1>& x);
#else
void f(array<long double, 1>& x);
#endif
