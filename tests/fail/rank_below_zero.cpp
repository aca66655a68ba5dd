// The number of axes is known when the program is compiled.
// expect: error: static assertion failed.*sinter: an array has at least 0 and at most 8 axes
#include <sinter.hpp>
using namespace sinter;

#ifdef SINTER_CONTROL
array<float, 8> x;
#else
array<float, -1> x;
#endif
