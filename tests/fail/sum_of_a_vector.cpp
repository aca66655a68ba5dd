// Nor to the reductions of the op table.
// expect: error: static assertion failed.*sinter: a reduction takes one array or expression, then axis=\.\.\. and keepdims by name: sum\(x, axis=1, keepdims\);
#include <sinter.hpp>
#include <vector>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    auto e = sum(from_host(v));
#else
    auto e = sum(v);
#endif
    (void)e;
}
