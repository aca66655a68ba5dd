// The bits of a std::vector<bool> do not lie one after the other in memory.
// expect: error: static assertion failed.*sinter: to extents, from_host copies numbers that lie one after the other.*reshape\(from_host\(v\), \{rows, cols\}\)
#include <sinter.hpp>
using namespace sinter;

void f(const std::vector<bool>& v) {
#ifdef SINTER_CONTROL
    array<bool, 2> a = reshape(from_host(v), {2, 3});
#else
    array<bool, 2> a = from_host(v, {2, 3});
#endif
}
