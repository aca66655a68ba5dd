// Index expressions that are constants once loops are unrolled, and their values.
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

    /// A loop is entered; it counts where all its iterations are unrolled. To be left in turn.
    void enter(const statement& loop);
    void leave(const statement& loop);
    /// A constant is declared.
    void define(id variable, id value);

    /// Whether the expression is made of numbers and counters of unrolled loops.
    bool is_constant(id expression) const;
    /// Whether it is from 0 to `end` - 1 in all iterations of the open loops.
    bool is_always_below(id expression, std::int64_t end);

private:
    std::optional<std::int64_t> value_of(id expression) const;
    bool holds_everywhere(std::size_t depth, const std::function<bool()>& holds);

    const program& p;
    std::vector<char> known_;                          ///< of variables: whether they are such constants
    std::vector<std::optional<std::int64_t>> values_;  ///< of counters, while they are gone through
    std::vector<id> made_of_;                          ///< of variables: the value they are declared with
    std::vector<const statement*> open_;
    int steps_ = 0;
};

}  // namespace sinter::codegen::device_ir
