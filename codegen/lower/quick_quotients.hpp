// Quotients without a branch, for the divisions of several elements of a thread: they overlap, where those of a GPU's
// correctly rounded division do not, since each has a branch. One test tells whether all of them are right.
#pragma once

#include <codegen/lower/lowering.hpp>

namespace sinter::codegen::lower {

/// Whether a value is a division of float32 that is correctly rounded.
bool is_quick_quotient(const lowering& c, int v);

/// Emits the value, and clears `fits` where it may differ from the division.
void let_quick_quotient(lowering& c, int v, const scalar& fits);

}  // namespace sinter::codegen::lower
