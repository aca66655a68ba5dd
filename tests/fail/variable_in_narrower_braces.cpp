// A variable may hold what the element type has not; C++ asks for a conversion in any braces.
// expect: error: .*(the value of .n. is not usable in a constant expression|call to consteval function .* is not a constant expression|.n. is not a constant expression)
#include <sinter.hpp>
using namespace sinter;

void f(std::int64_t n) {
#ifdef SINTER_CONTROL
    array<int, 1> a = {static_cast<int>(n), 1};
#else
    array<int, 1> a = {n, 1};
#endif
}
