// The bits of a std::vector<bool> do not lie one after the other in memory.
// expect: error: static assertion failed.*sinter: with extents, from_host copies contiguous numbers, as in a std::vector, a span or a C array; for other
#include <sinter.hpp>
using namespace sinter;

void f(const std::vector<bool>& v) {
#ifdef SINTER_CONTROL
    array<bool, 2> a = reshape(from_host(v), {2, 3});
#else
    array<bool, 2> a = from_host(v, {2, 3});
#endif
}
