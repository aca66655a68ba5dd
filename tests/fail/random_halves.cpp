// Random numbers are float or double.
// expect: error: static assertion failed.*sinter: uniform and normal numbers are float or double: astype<T>\(uniform<float>
#include <sinter.hpp>
using namespace sinter;

void f(random_key& key) {
#ifdef SINTER_CONTROL
    auto e = astype<float16>(normal<float>(key, {3}));
#else
    auto e = normal<float16>(key, {3});
#endif
    (void)e;
}
