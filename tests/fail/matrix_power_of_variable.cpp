// The number of products is the type's.
// expect: error: static assertion failed.*sinter: the exponent of matrix_power is a compile-time constant, as it determines the number of products:
#include <sinter.hpp>
#include <sinter/linalg.hpp>

using namespace sinter;

#ifdef SINTER_CONTROL
void f(const array<double, 2>& x, int) { (void)matrix_power(x, 3_c); }
#else
void f(const array<double, 2>& x, int n) { (void)matrix_power(x, n); }
#endif
