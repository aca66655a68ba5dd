// Op rows for index arithmetic.
#include <codegen/transforms/index_rows.hpp>

#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

SINTER_DETAIL_BODY(index_plus_body, x + y);
SINTER_DETAIL_BODY(index_scaled_body, x* y);
SINTER_DETAIL_BODY(index_quotient_body, x / y);
SINTER_DETAIL_BODY(index_remainder_body, x % y);
SINTER_DETAIL_BODY(narrow_sum_body, x + y);
SINTER_DETAIL_IDENTITY(narrow_sum_identity, T(0));
SINTER_DETAIL_BODY(index_aligned_body, x & -y);
SINTER_DETAIL_BODY(index_neighbour_body, x | y);
SINTER_DETAIL_BODY(index_clamped_body, x < y ? y : x < z ? x : z);
SINTER_DETAIL_BODY(index_divided_body,
                   T(((unsigned)((unsigned long long)(unsigned)x * (unsigned)y >> 32) + (unsigned)x) >> (int)z));

SINTER_DETAIL_BODY(packed_key_body, packed_with<T>(order_key<T>(x), y));
SINTER_DETAIL_BODY(packed_key_reversed_body, packed_with<T>(reversed_key<T>(x), y));

template <class Body, int Arity = 2>
constexpr op_row make_row(const char* name, const char* text, const char* symbol) {
    constexpr dtype_rule rule = dtype_rule::integral;
    return {name, text, symbol, Arity, rule, false, false, -1, &detail::make_map_loops<Body, rule, Arity>};
}

template <class Body>
constexpr op_row make_key_row(const char* name, const char* text) {
    constexpr dtype_rule rule = dtype_rule::packed;
    return {name, text, nullptr, 2, rule, false, false, -1, &detail::make_map_loops<Body, rule, 2>};
}

}  // namespace

constexpr op_row index_plus = make_row<index_plus_body>("index_plus", "x + y", "+");
constexpr op_row index_scaled = make_row<index_scaled_body>("index_scaled", "x * y", "*");
constexpr op_row index_quotient = make_row<index_quotient_body>("index_quotient", "x / y", "/");
constexpr op_row index_remainder = make_row<index_remainder_body>("index_remainder", "x % y", "%");
constexpr op_row index_aligned = make_row<index_aligned_body>("index_aligned", "x & -y", nullptr);
constexpr op_row index_neighbour = make_row<index_neighbour_body>("index_neighbour", "x | y", "|");
constexpr op_row index_clamped = make_row<index_clamped_body, 3>("index_clamped", "x < y ? y : x < z ? x : z", nullptr);

constexpr op_row index_divided = make_row<index_divided_body, 3>(
    "index_divided", "T(((unsigned)((unsigned long long)(unsigned)x * (unsigned)y >> 32) + (unsigned)x) >> (int)z)",
    nullptr);

const op_row& narrow_sum(const op_row& wide) {
    static const op_row narrow = [&] {
        op_row row = wide;
        row.rule = dtype_rule::integral;
        row.builtin = -1;
        row.host = &detail::make_fold_loops<narrow_sum_body, narrow_sum_identity, dtype_rule::integral>;
        return row;
    }();
    return narrow;
}

constexpr op_row packed_key = make_key_row<packed_key_body>("packed_key", "packed_with<T>(order_key<T>(x), y)");
constexpr op_row packed_key_reversed =
    make_key_row<packed_key_reversed_body>("packed_key_reversed", "packed_with<T>(reversed_key<T>(x), y)");

}  // namespace sinter::codegen
