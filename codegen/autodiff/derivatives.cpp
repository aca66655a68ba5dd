// Compiles the rules of include/sinter/op/derivatives.def into a table by row.
#include <codegen/autodiff/gradient.hpp>
#include <codegen/support/created_once.hpp>

#include <array>

namespace sinter::codegen::gradient {
namespace {

// Rules use terms x, y, z, r and g, and the functions of terms.hpp.
#define SINTER_RULE(...)                                                              \
    [](const operands& of) -> term {                                                  \
        [[maybe_unused]] const term x = of.x, y = of.y, z = of.z, r = of.r, g = of.g; \
        return __VA_ARGS__;                                                           \
    }
#define SINTER_EXCHANGED(...)                                               \
    [](const operands& of) -> term {                                        \
        [[maybe_unused]] const term x = of.y, y = of.x, r = of.r, g = of.g; \
        return __VA_ARGS__;                                                 \
    }
#define SINTER_ROW(name) table[static_cast<std::size_t>(builtin_op::name)]

using derivative_table = std::array<derivative, builtin_count>;

derivative_table make_table() {
    derivative_table table{};
#define DERIVATIVE_1(name, by_x) SINTER_ROW(name) = {{SINTER_RULE(by_x)}};
#define DERIVATIVE_2(name, by_x, by_y) SINTER_ROW(name) = {{SINTER_RULE(by_x), SINTER_RULE(by_y)}};
#define DERIVATIVE_3(name, by_x, by_y, by_z) \
    SINTER_ROW(name) = {{SINTER_RULE(by_x), SINTER_RULE(by_y), SINTER_RULE(by_z)}};
// A reduction's op is commutative: its second derivative is the first with exchanged operands.
#define FOLDED(name, by_element, by_x) \
    SINTER_ROW(name) = {{SINTER_RULE(by_x), SINTER_EXCHANGED(by_x)}, SINTER_RULE(by_element)};
#include <sinter/op/derivatives.def>
    return table;
}

}  // namespace

const derivative& derivative_of(const op_row& row) {
    static constinit std::atomic<const derivative_table*> table{nullptr};
    static constexpr derivative nothing;
    if (row.builtin < 0) return nothing;
    return created_once(table,
                        [] { return new derivative_table(make_table()); })[static_cast<std::size_t>(row.builtin)];
}

}  // namespace sinter::codegen::gradient
