// NumPy's generators have a state; a key is given.
// expect: error: static assertion failed.*sinter: uniform does not take these arguments: write uniform<float>\(random_key\(42\), \{3, 4\}\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    auto e = uniform<float>(random_key(42), {3, 4});
#else
    auto e = uniform<float>({3, 4});
#endif
    (void)e;
}
