// Sums and differences alone have a meaning for indices that repeat.
// expect: error: static assertion failed.*sinter: at\(x, i\) takes =, \+= and -=; if no index repeats, at\(x, i\) = take\(x, i\) \* v is another update
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, const array<int, 1>& i) {
#ifdef SINTER_CONTROL
    at(x, i) = take(x, i) * 2;
#else
    at(x, i) *= 2;
#endif
}
