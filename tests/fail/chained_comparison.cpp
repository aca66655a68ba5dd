// expect: error: .*sinter: a < b < c compares the bools of a < b with c: write \(a < b\) && \(b < c\)
// A chain of comparisons is none in C++.
#include <sinter.hpp>

using namespace sinter;

array<bool, 1> between(const array<int, 1>& v) {
#ifdef SINTER_CONTROL
    return (1 < v) && (v < 3);
#else
    return 1 < v < 3;
#endif
}
