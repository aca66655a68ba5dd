// The number of differences is the type's.
// expect: error: static assertion failed.*sinter: how many differences is a template argument: diff<2>\(x, axis=0\)
#include <sinter.hpp>
using namespace sinter;

#ifdef SINTER_CONTROL
auto f(const array<float, 2>& x) { return diff<2>(x, axis=0); }
#else
auto f(const array<float, 2>& x) { return diff(x, 2, axis=0); }
#endif
