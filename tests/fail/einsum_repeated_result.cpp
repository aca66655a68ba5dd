// An axis of the result twice.
// expect: error: static assertion failed.*sinter: the result of einsum names an axis twice: name each axis once
#include <sinter.hpp>
#include <sinter/einsum.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = einsum<"ij,jk->ik">(x, x);
#else
    auto e = einsum<"ij,jk->ii">(x, x);
#endif
    (void)e;
}
