// A parenthesis too few.
// expect: error: static assertion failed.*sinter: the signature of map_slices names axes by letters: "\(m,n\),\(n,p\)->\(m,p\)"
#include <sinter.hpp>
#include <sinter/map_slices.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
    const auto multiply = [](auto a, auto b) { return sum(a * b, axis=-2_c); };
#ifdef SINTER_CONTROL
    auto e = map_slices<"(m,n),(n,p)->(m,p)">(multiply, x, x);
#else
    auto e = map_slices<"(m,n),(n,p)->m,p">(multiply, x, x);
#endif
    (void)e;
}
