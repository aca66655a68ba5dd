// Values convert as in an assignment.
// expect: error: static assertion failed.*sinter: values do not convert to a lower kind \(bool < integer < floating < complex\): write astype<T>\(\.\.\.\)
#include <sinter.hpp>
using namespace sinter;

void f(array<int, 1>& x, array<int, 1>& i, array<float, 1>& v) {
#ifdef SINTER_CONTROL
    auto e = put(x, i, astype<int>(v));
#else
    auto e = put(x, i, v);
#endif
    (void)e;
}
