// Every row of the op table is a function or an operator, and applying it makes that row's node and the rule's dtype.
#include <sinter.hpp>

#include <string_view>

namespace sinter {
namespace {

/// A dtype that the rule computes in.
constexpr dtype operand_dtype(dtype_rule rule) {
    for (dtype d : {dtype::float32, dtype::int32, dtype::bool_})
        if (computes_in(rule, d)) return d;
    return dtype::complex64;
}

template <class E>
constexpr bool is_row(std::string_view name, dtype type) {
    using tree = typename E::tree_type;
    const ir::program& program = detail::program_of<tree>;
    const ir::node& last = program.nodes[program.node_count - 1];
    return last.op->name == name && last.type == type && tree::type == type;
}

#define CHECK(name, rule, ...)                                                                                \
    namespace of_##name {                                                                                     \
        using T = element_t<operand_dtype(dtype_rule::rule)>;                                                 \
        [[maybe_unused]] const array<T, 1> x, y, z;                                                           \
        static_assert(is_row<decltype(__VA_ARGS__)>(#name, result_of(dtype_rule::rule, dtype_of<T>)), #name); \
    }
#define SINTER_ROW_UNARY(name, rule, ...) CHECK(name, rule, sinter::name(x))
#define SINTER_ROW_BINARY(name, rule, ...) CHECK(name, rule, sinter::name(x, y))
#define SINTER_ROW_TERNARY(name, rule, ...) CHECK(name, rule, sinter::name(x, y, z))
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) CHECK(name, rule, symbol x)
#define SINTER_ROW_INFIX(name, symbol, rule, ...) CHECK(name, rule, x symbol y)
#define SINTER_ROW_REDUCTION(name, rule, ...)
#include <sinter/op/table.def>

}  // namespace
}  // namespace sinter
