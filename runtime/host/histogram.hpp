// Counting elements by bin on the host.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

/// The functions of whole arrays that codegen/functions/histogram.hpp describes.
void bincount_on_host(const call_site& call, const void* const* operands, void* const* results);
void histogram_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
