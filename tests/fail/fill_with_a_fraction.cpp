// An array of integers is not filled with a fraction.
// expect: error: static assertion failed.*sinter: a value does not convert to a lower kind \(bool < integer < floating < complex\): convert it first
#include <sinter.hpp>
using namespace sinter;

auto f(const array<int, 1>& x) {
#ifdef SINTER_CONTROL
    return full_like<float>(x, 2.5);
#else
    return full_like(x, 2.5);
#endif
}
