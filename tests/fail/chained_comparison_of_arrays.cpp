// expect: error: .*sinter: a < b < c compares the bools of a < b with c: write \(a < b\) && \(b < c\)
// Of arrays neither.
#include <sinter.hpp>

using namespace sinter;

array<bool, 1> ascending(const array<float, 1>& a, const array<float, 1>& b, const array<float, 1>& c) {
#ifdef SINTER_CONTROL
    return (a <= b) && (b <= c);
#else
    return a <= b <= c;
#endif
}
