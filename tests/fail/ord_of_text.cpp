// NumPy's names of norms are constants.
// expect: error: static assertion failed.*sinter: this option takes a number: .* ord= takes inf, -inf and fro, too
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = norm(x, ord=fro);
#else
    auto e = norm(x, ord="fro");
#endif
    (void)e;
}
