// Braces are no operand: no type says of what.
// expect: error: static assertion failed.*sinter: dot does not take these arguments: write dot\(x, y\), .* array\{1, 2\} from values
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    (void)dot(array{1, 2}, x);
#else
    (void)dot({1, 2}, x);
#endif
}
