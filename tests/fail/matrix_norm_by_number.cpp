// A matrix norm makes a kernel of its own for each order.
// expect: error: static assertion failed.*sinter: the order of a matrix norm is a compile-time constant: ord=1_c, -1_c, inf, -inf or fro; only norms of vectors,
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = norm(x, ord=1_c) + norm(x, axis=1, ord=1)(0);
#else
    auto e = norm(x, ord=1);
#endif
    (void)e;
}
