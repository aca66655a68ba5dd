// The number of axes is part of an array's type.
// expect: error: (wrong number of template arguments|too few template arguments)
#include <sinter.hpp>
using namespace sinter;

#ifdef SINTER_CONTROL
void f(array<float, 2>& x);
#else
void f(array<float>& x);
#endif
