// A row for kernels alone: expressions have exp2, which has one operand.
#include <codegen/lower/exponential.hpp>

#include <sinter/op/loops.hpp>

namespace sinter::codegen::lower {
namespace {

SINTER_DETAIL_BODY(shifted_exp2_body, exp2(x* y + z));

}  // namespace

constexpr op_row shifted_exp2{"shifted_exp2",
                              "exp2(x * y + z)",
                              nullptr,
                              3,
                              dtype_rule::floating,
                              false,
                              false,
                              -1,
                              &detail::make_map_loops<shifted_exp2_body, dtype_rule::floating, 3>};

}  // namespace sinter::codegen::lower
