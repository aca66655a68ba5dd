// Nor behind an array.
// expect: error: static assertion failed.*sinter: average does not take these arguments: write average\(x, weights, .* array\{1, 2\} from values
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    (void)average(x, array{1, 2});
#else
    (void)average(x, {1, 2});
#endif
}
