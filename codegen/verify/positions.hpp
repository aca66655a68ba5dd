// Index expressions of a device program as linear forms, and its conditions as facts.
#pragma once

#include <codegen/verify/launch_promises.hpp>
#include <codegen/verify/prover.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen::device_ir {

class positions {
public:
    positions(const program& of, const launch_promises& given, symbol_table& table, prover& with);

    linear_form extent(int axis) const { return linear_form::of(extents_[static_cast<std::size_t>(axis)]); }
    bool has_axis(int axis) const { return axis >= 0 && axis < static_cast<int>(extents_.size()); }

    /// An expression's value; a new symbol where nothing is known of it.
    linear_form of(id expression);
    /// What holds where a condition does, or where it does not.
    facts of_condition(id condition, bool holds);

    // What variables hold at the statement at hand.
    const linear_form& value_of(id variable) const;
    void set(id variable, const linear_form& value);
    void set_unknown(id variable) { set(variable, unknown_of(variable)); }
    /// A constant bool: what holds where it does is known from now on.
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
    std::vector<symbol> extents_;
    linear_form thread_, block_, grid_;
    std::vector<std::optional<linear_form>> values_;    ///< of variables
    std::vector<std::optional<condition>> conditions_;  ///< of variables
    std::vector<int> divisors_;                         ///< of variables: the axis whose multiplier it is, or -1
};

}  // namespace sinter::codegen::device_ir
