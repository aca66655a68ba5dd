// A let's body returns one expression.
// expect: error: static assertion failed.*sinter: the body of a let returns one expression
#include <sinter.hpp>
using namespace sinter;

void f(const array<double, 1>& x) {
#ifdef SINTER_CONTROL
    (void)let(exp(x), [](const auto& e) { return e / sum(e); });
#else
    (void)let(exp(x), [](const auto& e) { return pack(e, sum(e)); });
#endif
}
