// Nor behind two.
// expect: error: static assertion failed.*sinter: put does not take these arguments: write put\(x, i, values, axis=0\), .* array\{1, 2\} from values
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    (void)put(x, i, array{1, 2});
#else
    (void)put(x, i, {1, 2});
#endif
}
