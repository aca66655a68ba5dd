// A vector has no inverse.
// expect: error: static assertion failed.*sinter: linear algebra takes matrices along the last two axes: the operand must have at least two axes
#include <sinter.hpp>
#include <sinter/linalg.hpp>

using namespace sinter;

#ifdef SINTER_CONTROL
void f(const array<double, 2>& x) { (void)inv(x); }
#else
void f(const array<double, 1>& x) { (void)inv(x); }
#endif
