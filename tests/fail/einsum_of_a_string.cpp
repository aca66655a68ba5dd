// The subscripts are a template argument.
// expect: error: static assertion failed.*sinter: einsum does not take these arguments: write einsum<.*>\(x, y\), with the subscripts in angle brackets
#include <sinter.hpp>
#include <sinter/einsum.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = einsum<"ij,jk->ik">(x, x);
#else
    auto e = einsum("ij,jk->ik", x, x);
#endif
    (void)e;
}
