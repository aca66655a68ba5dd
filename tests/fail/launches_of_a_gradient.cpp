// Which axes of an operand were broadcast, and so which sums a gradient has, is known at run time.
// expect: error: static assertion failed.*sinter: the launches of this expression depend on run-time axes or views, or on a gradient
#include <sinter.hpp>
using namespace sinter;

using e = decltype(grad(sum(array<float, 1>() * 2), array<float, 1>()));
#ifdef SINTER_CONTROL
static_assert(launches<decltype(sum(array<float, 1>() * 2))> == 1);
#else
static_assert(launches<e> == 1);
#endif
