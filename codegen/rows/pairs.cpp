// Two operators of the op table in one loop, for one instruction set: the first one's result stays in a register.
// Compiled once per instruction set, which SINTER_ISA names.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

/// Operators about as fast as a load and a store: those of a ring, in dtypes that occur in long chains.
constexpr bool is_paired(dtype_rule rule) { return rule == dtype_rule::field || rule == dtype_rule::ring; }

#define SINTER_ROW_UNARY(name, rule, ...)
#define SINTER_ROW_BINARY(name, rule, ...)
#define SINTER_ROW_TERNARY(name, rule, ...)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...)
#define SINTER_ROW_INFIX(name, symbol, rule, ...) SINTER_DETAIL_BODY(name##_of_pair, __VA_ARGS__);
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)
#include <sinter/op/table.def>

/// out = Second(First(x, y), z), or Second(z, First(x, y)) if IsSecondOperand.
template <class First, class Second, class T, bool IsSecondOperand>
void run_pair(void* to, const void* const* in, std::size_t n) {
    T* const out = static_cast<T*>(to);
    const T *const x = static_cast<const T*>(in[0]), *const y = static_cast<const T*>(in[1]),
                   *const z = static_cast<const T*>(in[2]);
    SINTER_DETAIL_IVDEP
    for (std::size_t i = 0; i < n; ++i) {
        const T first = static_cast<T>(First::template call<T, T>(x[i], y[i], T()));
        out[i] = static_cast<T>(IsSecondOperand ? Second::template call<T, T>(z[i], first, T())
                                                : Second::template call<T, T>(first, z[i], T()));
    }
}

template <class First, class Second, class T>
detail::map_loop pair_of(bool is_second_operand) {
    return is_second_operand ? run_pair<First, Second, T, true> : run_pair<First, Second, T, false>;
}

template <class First, class Second>
detail::map_loop pair_in(dtype type, bool is_second_operand) {
    switch (type) {
        case dtype::float32: return pair_of<First, Second, float>(is_second_operand);
        case dtype::float64: return pair_of<First, Second, double>(is_second_operand);
        case dtype::int32: return pair_of<First, Second, std::int32_t>(is_second_operand);
        case dtype::uint8: return pair_of<First, Second, std::uint8_t>(is_second_operand);
        default: return nullptr;
    }
}

#define SINTER_ROW_UNARY(name, rule, ...)
#define SINTER_ROW_BINARY(name, rule, ...)
#define SINTER_ROW_TERNARY(name, rule, ...)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...)
#define SINTER_ROW_INFIX(name, symbol, rule, ...)                                                                  \
    case builtin_op::name:                                                                                         \
        if constexpr (is_paired(dtype_rule::rule)) return pair_in<First, name##_of_pair>(type, is_second_operand); \
        break;
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)

template <class First>
detail::map_loop pair_from(int second, dtype type, bool is_second_operand) {
    switch (static_cast<builtin_op>(second)) {
#include <sinter/op/table.def>
        default: break;
    }
    return nullptr;
}

}  // namespace

#define SINTER_ROW_UNARY(name, rule, ...)
#define SINTER_ROW_BINARY(name, rule, ...)
#define SINTER_ROW_TERNARY(name, rule, ...)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...)
#define SINTER_ROW_INFIX(name, symbol, rule, ...)                                                                     \
    case builtin_op::name:                                                                                            \
        if constexpr (is_paired(dtype_rule::rule)) return pair_from<name##_of_pair>(second, type, is_second_operand); \
        break;
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)

detail::map_loop SINTER_FORM(pair_loop)(int first, int second, dtype type, bool is_second_operand) {
    switch (static_cast<builtin_op>(first)) {
#include <sinter/op/table.def>
        default: break;
    }
    return nullptr;
}

}  // namespace sinter::codegen
