// Bounds come before the extents.
// expect: error: static assertion failed.*sinter: integers does not take these arguments: write integers<int>\(random_key\(42\), low, high, \{3, 4\}\)
#include <sinter.hpp>
using namespace sinter;

void f(random_key& key) {
#ifdef SINTER_CONTROL
    auto e = integers<int>(key, 0, 10, {3});
#else
    auto e = integers<int>(key, {3});
#endif
    (void)e;
}
