// Converts index expressions of a device program to linear forms, and its conditions to facts.
#pragma once

#include <codegen/verify/launch_promises.hpp>
#include <codegen/verify/prover.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen::device_ir {

class positions {
public:
    positions(const program& of, const launch_promises& given, symbol_table& table, prover& with);

    const linear_form& extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
    bool has_axis(int axis) const { return axis >= 0 && axis < static_cast<int>(extents_.size()); }

    /// The value of an expression; a new symbol if nothing is known about it.
    linear_form of(id expression);
    /// The facts that hold if a condition is true (or, without `holds`, false).
    facts of_condition(id condition, bool holds);

    // Values of variables at the current statement.
    const linear_form& value_of(id variable) const;
    void set(id variable, const linear_form& value);
    void set_unknown(id variable) { set(variable, unknown_of(variable)); }
    /// Records a constant bool: the facts that its truth implies.
    void set_condition(id variable, id value);
    linear_form unknown_of(id variable);

private:
    linear_form of_arithmetic(const expression& e);
    linear_form of_difference(const expression& e);
    linear_form of_division(const expression& e);
    linear_form choice_of(const expression& e);
    linear_form unknown(dtype type);
    linear_form product_of(const std::vector<int>& axes);
    void name_parameters(const launch_promises& given);
    void promise_tiles(const launch_promises& given);

    struct condition {
        facts if_true, if_false;
    };

    const program& p;
    symbol_table& symbols;
    prover& prove;
    std::vector<linear_form> extents_;
    linear_form thread_, block_, grid_;
    std::vector<std::optional<linear_form>> values_;    ///< per variable
    std::vector<std::optional<condition>> conditions_;  ///< per variable
    std::vector<int> divisors_;                         ///< per variable: the axis that it is the multiplier of, or -1
};

}  // namespace sinter::codegen::device_ir
