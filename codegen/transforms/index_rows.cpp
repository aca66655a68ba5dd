// The rows of index arithmetic.
#include <codegen/transforms/index_rows.hpp>

#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

SINTER_DETAIL_BODY(index_plus_body, x + y);
SINTER_DETAIL_BODY(index_scaled_body, x* y);
SINTER_DETAIL_BODY(index_quotient_body, x / y);
SINTER_DETAIL_BODY(index_remainder_body, x % y);

template <class Body>
constexpr op_row make_row(const char* name, const char* text, const char* symbol) {
    constexpr dtype_rule rule = dtype_rule::integral;
    return {name, text, symbol, 2, rule, false, false, -1, &detail::make_map_loops<Body, rule, 2>};
}

}  // namespace

constexpr op_row index_plus = make_row<index_plus_body>("index_plus", "x + y", "+");
constexpr op_row index_scaled = make_row<index_scaled_body>("index_scaled", "x * y", "*");
constexpr op_row index_quotient = make_row<index_quotient_body>("index_quotient", "x / y", "/");
constexpr op_row index_remainder = make_row<index_remainder_body>("index_remainder", "x % y", "%");

}  // namespace sinter::codegen
