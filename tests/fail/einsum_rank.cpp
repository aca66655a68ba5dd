// A letter too few.
// expect: error: static assertion failed.*sinter: einsum needs one letter per axis of an operand
#include <sinter.hpp>
#include <sinter/einsum.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = einsum<"ij,jk->ik">(x, x);
#else
    auto e = einsum<"ij,j->i">(x, x);
#endif
    (void)e;
}
