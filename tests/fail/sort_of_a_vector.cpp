// Nor to functions of headers of their own.
// expect: error: static assertion failed.*sinter: sort does not take these arguments: write sort\(x, axis=-1, descending\), of arrays and expressions
#include <sinter.hpp>
#include <sinter/sort.hpp>
#include <vector>
using namespace sinter;

void f(std::vector<float>& v) {
#ifdef SINTER_CONTROL
    auto e = sort(from_host(v));
#else
    auto e = sort(v);
#endif
    (void)e;
}
