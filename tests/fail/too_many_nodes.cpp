// Every `auto` doubles the expression: it says where to stop.
// expect: error: static assertion failed.*sinter: the expression has more than 1024 nodes .* assign an intermediate result to an array
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
    auto a = x * x;  // 3 nodes, then 7, 15, ...
    auto b = a * a;
    auto c = b * b;
    auto d = c * c;
    auto e = d * d;
    auto g = e * e;
    auto h = g * g;
    auto i = h * h;
#ifdef SINTER_CONTROL
    array<float, 1> j = i * i;
    array<float, 1> k = j * j;
#else
    auto j = i * i;
    array<float, 1> k = j * j;
#endif
}
