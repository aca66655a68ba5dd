// The table twice: exact, and with the short functions that kernels of float call which need not be exact.
#include <tests/interpret/row_loops.hpp>

#include <sinter/number/approximate.hpp>
#include <sinter/number/double_functions.hpp>
#include <sinter/number/short_functions.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

namespace sinter::interpret {
namespace {

/// Without the host's own tanh, and with the kernels' own functions.
struct scalar_math : detail::math {
    using math::erfc;
    using math::log;
    using math::log1p;
    using math::normcdf;
    using math::pow;
    using math::tanh;
    static float tanh(float x) { return std::tanh(x); }
    static float erfc(float x) { return detail::number::short_erfc(x); }
    static float pow(float x, float y) { return detail::number::short_pow(x, y); }
    static double erfc(double x) { return detail::number::double_erfc(x); }
    static double log(double x) { return detail::number::double_log(x); }
    static double log1p(double x) { return detail::number::double_log1p(x); }
    static double normcdf(double x) { return detail::number::double_normcdf(x); }
    static double tanh(double x) { return detail::number::double_tanh(x); }
};

struct approximate_math : scalar_math {
    using scalar_math::erf;
    using scalar_math::erfc;
    using scalar_math::exp;
    static float exp(float x) { return detail::number::approximate_exp(x); }
    static float erf(float x) { return detail::number::approximate_erf(x); }
    static float erfc(float x) { return detail::number::approximate_erfc(x); }
};

#define SINTER_BODY(type_name, base, ...)                                                           \
    struct type_name : base {                                                                       \
        template <class T, class X, class Y>                                                        \
        static inline auto call([[maybe_unused]] X x, [[maybe_unused]] Y y, [[maybe_unused]] T z) { \
            using namespace ::sinter::detail::number;                                               \
            return __VA_ARGS__;                                                                     \
        }                                                                                           \
    }

namespace exact {
#define SINTER_ROW_UNARY(name, rule, ...) SINTER_BODY(name##_body, scalar_math, __VA_ARGS__);
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) SINTER_BODY(name##_body, scalar_math, __VA_ARGS__);
#define SINTER_ROW_INFIX SINTER_ROW_PREFIX
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    SINTER_BODY(name##_body, scalar_math, __VA_ARGS__);        \
    SINTER_DETAIL_IDENTITY(name##_identity, identity);
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>
}  // namespace exact

namespace approximate {
#define SINTER_ROW_UNARY(name, rule, ...) SINTER_BODY(name##_body, approximate_math, __VA_ARGS__);
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) SINTER_BODY(name##_body, approximate_math, __VA_ARGS__);
#define SINTER_ROW_INFIX SINTER_ROW_PREFIX
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) SINTER_BODY(name##_body, approximate_math, __VA_ARGS__);
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>
}  // namespace approximate

detail::host_loops exact_loops(int builtin, dtype type) {
    using namespace exact;
#define SINTER_MAP(name, rule, arity) \
    case builtin_op::name: return detail::make_map_loops<name##_body, dtype_rule::rule, arity>(type);
#define SINTER_FOLD(name, rule) \
    case builtin_op::name: return detail::make_fold_loops<name##_body, name##_identity, dtype_rule::rule>(type);
    switch (static_cast<builtin_op>(builtin)) {
#include <codegen/rows/cases.def>
        case builtin_op::count: break;
    }
    return {};
}

template <class Body, dtype_rule R, int Arity>
detail::map_loop loop_of_floats() {
    if constexpr (computes_in(R, dtype::float32)) {
        using first = detail::number_t<detail::operand_of(R, dtype::float32, 0)>;
        using second = detail::number_t<detail::operand_of(R, dtype::float32, 1)>;
        return detail::map_of<Body, float, first, detail::number_t<result_of(R, dtype::float32)>, Arity, second>::run;
    } else {
        return nullptr;
    }
}

detail::map_loop approximate_loop(int builtin) {
    using namespace approximate;
#define SINTER_MAP(name, rule, arity) \
    case builtin_op::name: return loop_of_floats<name##_body, dtype_rule::rule, arity>();
#define SINTER_FOLD(name, rule) SINTER_MAP(name, rule, 2)
    switch (static_cast<builtin_op>(builtin)) {
#include <codegen/rows/cases.def>
        case builtin_op::count: break;
    }
    return nullptr;
}

}  // namespace

detail::host_loops scalar_loops(const op_row& row, dtype type, codegen::arithmetic precision) {
    if (row.builtin == text_row) return {};
    if (row.host != nullptr) return row.host(type);
    detail::host_loops loops = exact_loops(row.builtin, type);
    if (precision != codegen::arithmetic::exact && type == dtype::float32) loops.map = approximate_loop(row.builtin);
    return loops;
}

}  // namespace sinter::interpret
