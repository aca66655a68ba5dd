// A row for kernels alone. Its instruction has no space, at which lines of a kernel's text may be broken.
#include <codegen/lower/exponential.hpp>

#include <sinter/op/loops.hpp>

namespace sinter::codegen::lower {
namespace {

SINTER_DETAIL_BODY(power_of_two_body, exp2(x));

}  // namespace

constexpr op_row power_of_two{"power_of_two",
                              "[](T a) { asm(\"ex2.approx.ftz.f32\\t%0,%0;\" : \"+f\"(a)); return a; }(x)",
                              nullptr,
                              1,
                              dtype_rule::floating,
                              false,
                              false,
                              -1,
                              &detail::make_map_loops<power_of_two_body, dtype_rule::floating, 1>};

}  // namespace sinter::codegen::lower
