// The result has an axis that comes from nowhere.
// expect: error: static assertion failed.*sinter: the result of einsum names an axis that no operand has
#include <sinter.hpp>
#include <sinter/einsum.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = einsum<"ij,jk->ik">(x, x);
#else
    auto e = einsum<"ij,jk->il">(x, x);
#endif
    (void)e;
}
