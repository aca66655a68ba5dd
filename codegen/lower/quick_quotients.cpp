// Rows of quick quotients and of their test: include/sinter/number/quotients.hpp.
#include <codegen/lower/quick_quotients.hpp>

#include <codegen/ir/is_op.hpp>
#include <sinter/op/loops.hpp>

#include <bit>
#include <cstdint>

namespace sinter::codegen::lower {
namespace {

SINTER_DETAIL_BODY(quick_body, quick_quotient<T>(x, y));
SINTER_DETAIL_BODY(usual_body, is_usual_quotient<T>(x, y));

/// Loops of floats alone.
template <class Body, class Result>
detail::host_loops loops_of(dtype type) {
    detail::host_loops loops;
    if (type == dtype::float32) loops.map = &detail::map_of<Body, float, float, Result, 2>::run;
    return loops;
}

constexpr op_row quick = {"quick_quotient",
                          "quick_quotient<T>(x, y)",
                          nullptr,
                          2,
                          dtype_rule::floating,
                          false,
                          false,
                          -1,
                          &loops_of<quick_body, float>};
constexpr op_row usual = {
    "is_usual_quotient",        "is_usual_quotient<T>(x, y)", nullptr, 2, dtype_rule::compare, false, false, -1,
    &loops_of<usual_body, bool>};

}  // namespace

bool is_quick_quotient(const lowering& c, int v) {
    const value& self = c.at(v);
    return (is_op(self, builtin_op::divide) || is_op(self, builtin_op::reciprocal)) && self.type == dtype::float32 &&
           c.k.precision == arithmetic::exact;
}

void let_quick_quotient(lowering& c, int v, const scalar& fits) {
    const value& self = c.at(v);
    const bool inverts = is_op(self, builtin_op::reciprocal);
    const scalar one = c.b.literal(dtype::float32, std::bit_cast<std::uint32_t>(1.0f));
    const scalar x = inverts ? one : c.operand(self.in[0]), y = c.operand(self.in[inverts ? 0 : 1]);
    c.let_value(v, c.b.operation(quick, dtype::float32, dtype::float32, {x, y, {}}));
    c.b.assign(fits, c.b.operation(usual, dtype::bool_, dtype::float32, {x, c.operand(v), {}}) && fits);
}

}  // namespace sinter::codegen::lower
