// Index expressions that are constant once loops are unrolled, and their values.
#pragma once

#include <codegen/device/program.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace sinter::codegen::device_ir {

class unrolled_loops {
public:
    explicit unrolled_loops(const program& of)
        : p(of), known_(of.variables.size(), 0), values_(of.variables.size()), made_of_(of.variables.size(), none) {}

    /// Enters a loop, whose counter is a constant if it is fully unrolled. Loops are left in reverse order.
    void enter(const statement& loop);
    void leave(const statement& loop);
    /// Declares a constant.
    void define(id variable, id value);

    /// Whether the expression consists of numbers and counters of unrolled loops.
    bool is_constant(id expression) const;
    /// Whether the expression is in [0, end) in all iterations of the open loops.
    bool is_always_below(id expression, std::int64_t end);

private:
    std::optional<std::int64_t> value_of(id expression) const;
    bool holds_everywhere(std::size_t depth, const std::function<bool()>& holds);

    const program& p;
    std::vector<char> known_;                          ///< per variable: whether it is such a constant
    std::vector<std::optional<std::int64_t>> values_;  ///< per counter: its value in the current iteration
    std::vector<id> made_of_;                          ///< per variable: the value of its declaration
    std::vector<const statement*> open_;
    int steps_ = 0;
};

}  // namespace sinter::codegen::device_ir
