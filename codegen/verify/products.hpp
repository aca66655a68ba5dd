// Checks the batches of a warpgroup's asynchronous products.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws if registers of products are used before they are waited for, or if products do not begin after the latest
/// write of registers, or are not committed before a wait.
void check_products(const program& p);

}  // namespace sinter::codegen::device_ir
