// A pointer does not say how many elements there are.
// expect: error: static assertion failed.*sinter: from_host copies containers, spans and C arrays of numbers; .*from_host\(std::span\(pointer, n\)\)
#include <sinter.hpp>
using namespace sinter;

auto f(const float* p) {
#ifdef SINTER_CONTROL
    return from_host(std::span(p, 3));
#else
    return from_host(p);
#endif
}
