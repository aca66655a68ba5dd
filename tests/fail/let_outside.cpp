// What let() names means nothing outside of its body.
// expect: error: static assertion failed.*sinter: a name that let\(\) defines is valid only in its body: return the result from the body
#include <sinter.hpp>
using namespace sinter;

void f(const array<float, 1>& x) {
    const auto keep = let(x * x, [](const auto& v) { return v + v; });
#ifdef SINTER_CONTROL
    const array<float, 1> y = keep;
#else
    const auto body = [](const auto& v) { return v; };
    const expr<tree::bound<decltype(body), dtype::float32, 1>> leaked;
    const array<float, 1> y = keep + leaked;
#endif
}
