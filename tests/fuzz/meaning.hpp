// What each operation means, written down a second time: by the names that NumPy gives them, not from the op table's
// bodies, so that a wrong body is found as well as wrong code.
#pragma once

#include <sinter/op/row.hpp>
#include <tests/fuzz/known.hpp>

#include <memory>
#include <vector>

namespace sinter::fuzz {

/// What an operation gives of operands of one dtype, in which it computes.
using rule = known (*)(dtype compute, const known* operands);

/// What an elementwise operation gives. `compute` is the dtype of its operands (of the second where the first is a
/// condition). Throws sinter::error for an operation that the tables do not have.
rule meaning_of(const op_row& op, dtype compute);

/// A reduction of elements of one dtype: `value` is what those so far may give, in any order and grouping.
class folding {
public:
    virtual ~folding() = default;
    virtual void add(const known& x) = 0;
    virtual known value() const = 0;
};
std::unique_ptr<folding> start_folding(const op_row& op, dtype type);

/// What a reduction over these elements gives.
known fold(const op_row& op, dtype type, const std::vector<known>& elements);

/// Whether the tables have the operation, computing in this dtype.
bool has_meaning(const op_row& op, dtype compute);

}  // namespace sinter::fuzz
