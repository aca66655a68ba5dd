// Stream compaction on the host.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

/// The functions of whole arrays that codegen/functions/compact.hpp describes.
void mask_offsets_on_host(const call_site& call, const void* const* operands, void* const* results);
void mask_positions_on_host(const call_site& call, const void* const* operands, void* const* results);
void mask_elements_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
