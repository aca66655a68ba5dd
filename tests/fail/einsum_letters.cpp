// Digits are no letters.
// expect: error: static assertion failed.*sinter: subscripts are letters, with commas between operands
#include <sinter.hpp>
#include <sinter/einsum.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = einsum<"ij,jk->ik">(x, x);
#else
    auto e = einsum<"i1,1k->ik">(x, x);
#endif
    (void)e;
}
