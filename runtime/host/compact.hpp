// Stream compaction on the host.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

/// The functions of whole arrays that codegen/functions/compact.hpp describes.
void chosen_positions_on_host(const call_site& call, const void* const* operands, void* const* results);
void chosen_elements_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
