// A constant that the element type has not.
// expect: error: .*(call to non-.constexpr. function .*throw_number_does_not_fit|call to consteval function .* is not a constant expression)
#include <sinter.hpp>
using namespace sinter;

#ifdef SINTER_CONTROL
array<std::int8_t, 1> a = {100, -128};
#else
array<std::int8_t, 1> a = {1000, -128};
#endif
