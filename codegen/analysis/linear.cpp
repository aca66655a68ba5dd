// Follows linear operands down.
#include <codegen/analysis/linear.hpp>

#include <codegen/ir/is_op.hpp>
#include <codegen/ir/value_at.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Whether a value is linear in this operand, whatever the others are.
bool is_linear_in(const loop_nest& k, const value& v, std::size_t operand) {
    if (v.what != value_kind::elementwise || !is_floating(v.type)) return false;
    if (is_op(v, builtin_op::multiply)) return true;
    if (is_op(v, builtin_op::negative) || is_op(v, builtin_op::divide)) return operand == 0;
    return is_op(v, builtin_op::where) && operand > 0 && is_known_zero(k, v.in[3 - operand]);
}

}  // namespace

bool is_known_zero(const loop_nest& k, int v) {
    const value& self = value_at(k, v);
    if (self.what == value_kind::cast) return is_known_zero(k, self.in[0]);
    return self.what == value_kind::constant && self.bits == 0;
}

std::vector<char> dependents_of(const loop_nest& k, int on) {
    std::vector<char> made(k.values.size(), 0);
    made[static_cast<std::size_t>(on)] = 1;
    for (auto v = static_cast<std::size_t>(on) + 1; v < made.size(); ++v)
        made[v] = std::any_of(k.values[v].in.begin(), k.values[v].in.end(),
                              [&](int in) { return in >= 0 && made[static_cast<std::size_t>(in)] != 0; });
    return made;
}

linear_chain linear_chain_to(const loop_nest& k, int v, int on) {
    const std::vector<char> dependents = dependents_of(k, on);
    linear_chain made{v, {}};
    for (;;) {
        const value& self = value_at(k, made.of);
        if (self.what == value_kind::cast && is_floating(self.type) && is_floating(value_at(k, self.in[0]).type)) {
            made.of = self.in[0];
            continue;
        }
        int operand = -1, dependent = 0;
        for (std::size_t i = 0; i < self.in.size(); ++i) {
            if (self.in[i] < 0 || dependents[static_cast<std::size_t>(self.in[i])] == 0) continue;
            if (value_at(k, self.in[i]).loop == group_level) continue;
            operand = static_cast<int>(i);
            ++dependent;
        }
        if (dependent != 1 || !is_linear_in(k, self, static_cast<std::size_t>(operand))) break;
        made.values.push_back({made.of, static_cast<std::size_t>(operand)});
        made.of = self.in[static_cast<std::size_t>(operand)];
    }
    std::reverse(made.values.begin(), made.values.end());
    return made;
}

}  // namespace sinter::codegen
