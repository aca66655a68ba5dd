// An operand too few.
// expect: error: static assertion failed.*sinter: einsum takes as many operands as its subscripts name
#include <sinter.hpp>
#include <sinter/einsum.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = einsum<"ij,jk->ik">(x, x);
#else
    auto e = einsum<"ij,jk->ik">(x);
#endif
    (void)e;
}
