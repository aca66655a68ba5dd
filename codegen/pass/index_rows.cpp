// The rows of index arithmetic.
#include <codegen/pass/index_rows.hpp>

#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

SINTER_DETAIL_BODY(index_plus_body, x + y);
SINTER_DETAIL_BODY(index_scaled_body, x* y);
SINTER_DETAIL_BODY(index_quotient_body, x / y);
SINTER_DETAIL_BODY(index_remainder_body, x % y);

template <class Body>
detail::host_loops loops(dtype type) {
    return type == dtype::int32 ? detail::make_map_loops<Body, dtype_rule::integral, 2>(dtype::int32)
                                : detail::make_map_loops<Body, dtype_rule::integral, 2>(dtype::int64);
}

template <class Body>
constexpr op_row make_row(const char* name, const char* text, const char* symbol) {
    return {name, text, symbol, 2, dtype_rule::integral, false, false, -1, &loops<Body>};
}

}  // namespace

constexpr op_row index_plus = make_row<index_plus_body>("index_plus", "x + y", "+");
constexpr op_row index_scaled = make_row<index_scaled_body>("index_scaled", "x * y", "*");
constexpr op_row index_quotient = make_row<index_quotient_body>("index_quotient", "x / y", "/");
constexpr op_row index_remainder = make_row<index_remainder_body>("index_remainder", "x % y", "%");

}  // namespace sinter::codegen
