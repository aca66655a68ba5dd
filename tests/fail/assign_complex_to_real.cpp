// A complex expression becomes real only where the program says how.
// expect: error: static assertion failed.*sinter: a complex expression does not convert to a real array: write real\(e\), imag\(e\) or abs\(e\), or astype<T>\(e\) for
#include <sinter.hpp>
using namespace sinter;

void f(array<std::complex<float>, 1>& z) {
#ifdef SINTER_CONTROL
    array<float, 1> x = real(z * z);
#else
    array<float, 1> x = z * z;
#endif
}
