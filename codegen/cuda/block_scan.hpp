// A scan over the threads of a block, for kernels that are written as text.
#pragma once

namespace sinter::codegen {

/// sum_before(of_warps, own): the sum of what the threads before this one have, in a block of whole warps. All threads
/// of the block call it; `of_warps` is shared memory of a word per warp. `all_lanes` is the mask of a whole warp.
extern const char* const block_scan_text;

}  // namespace sinter::codegen
