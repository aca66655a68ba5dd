// The function gives other axes than the signature.
// expect: error: static assertion failed.*sinter: the function of map_slices must return all axes of its operands, or those of the result
#include <sinter.hpp>
#include <sinter/map_slices.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
    const auto multiply = [](auto a, auto b) { return sum(a * b, axis=-2_c); };
#ifdef SINTER_CONTROL
    auto e = map_slices<"(m,n),(n,p)->(m,p)">(multiply, x, x);
#else
    auto e = map_slices<"(m,n),(n,p)->(m)">(multiply, x, x);
#endif
    (void)e;
}
