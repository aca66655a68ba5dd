// A shape has no axis beyond its rank: a constant expression cannot ask for one.
// expect: error: .*(call to non-.constexpr. function .*throw_axis_out_of_range|must be initialized by a constant expression)
#include <sinter.hpp>
using namespace sinter;

constexpr shape<2> s{3, 4};
#ifdef SINTER_CONTROL
constexpr auto n = s[-2];
#else
constexpr auto n = s[2];
#endif
