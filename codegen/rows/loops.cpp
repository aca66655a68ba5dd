// The loops of the op table's rows for one instruction set. Compiled once per instruction set, which SINTER_ISA names.
//
// Every template here takes a body from the unnamed namespace as an argument, so the linker cannot merge the code of
// different instruction sets.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

// Vector versions in glibc's libmvec, accurate to 4 ulp. glibc's own headers declare them only under -ffast-math, which
// would also give up NaN and infinities elsewhere.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SINTER_VECTOR_1(function)                                           \
    __attribute__((simd("notinbranch"))) float function##f(float) noexcept; \
    __attribute__((simd("notinbranch"))) double function(double) noexcept;
#define SINTER_VECTOR_2(function)                                                  \
    __attribute__((simd("notinbranch"))) float function##f(float, float) noexcept; \
    __attribute__((simd("notinbranch"))) double function(double, double) noexcept;
extern "C" {
SINTER_VECTOR_1(exp)
SINTER_VECTOR_1(log)
SINTER_VECTOR_1(sin)
SINTER_VECTOR_1(cos)
SINTER_VECTOR_2(pow)
#if __GLIBC_PREREQ(2, 35)
SINTER_VECTOR_1(exp2)
SINTER_VECTOR_1(expm1)
SINTER_VECTOR_1(log2)
SINTER_VECTOR_1(log10)
SINTER_VECTOR_1(log1p)
SINTER_VECTOR_1(cbrt)
SINTER_VECTOR_1(tan)
SINTER_VECTOR_1(asin)
SINTER_VECTOR_1(acos)
SINTER_VECTOR_1(atan)
SINTER_VECTOR_1(sinh)
SINTER_VECTOR_1(cosh)
SINTER_VECTOR_1(tanh)
SINTER_VECTOR_1(asinh)
SINTER_VECTOR_1(acosh)
SINTER_VECTOR_1(atanh)
SINTER_VECTOR_1(erf)
SINTER_VECTOR_1(erfc)
SINTER_VECTOR_2(hypot)
SINTER_VECTOR_2(atan2)
#endif
}
#endif

namespace sinter::codegen {
namespace {

#define SINTER_ROW_UNARY(name, rule, ...) SINTER_DETAIL_BODY(name##_body, __VA_ARGS__);
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) SINTER_DETAIL_BODY(name##_body, __VA_ARGS__);
#define SINTER_ROW_INFIX SINTER_ROW_PREFIX
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    SINTER_DETAIL_BODY(name##_body, __VA_ARGS__);              \
    SINTER_DETAIL_IDENTITY(name##_identity, identity);
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>

}  // namespace

detail::host_loops SINTER_FORM(builtin_loops)(int builtin, dtype type) {
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

}  // namespace sinter::codegen
