// Fuses a nested kernel with the matrix product that reads its result.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <optional>

namespace sinter::codegen {

/// One kernel that computes `nested`, whose last loop stores leaf `stored`, and `product`, whose only reduction goes
/// along that loop's axis. What the first stores once per group follows the product's outputs. Returns nothing if the
/// two do not match.
std::optional<loop_nest> chain(const loop_nest& nested, const loop_nest& product, int stored);

}  // namespace sinter::codegen
