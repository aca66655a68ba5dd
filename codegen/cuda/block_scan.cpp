// The text of a scan over the threads of a block: by shuffles within warps, then over the warps.
#include <codegen/cuda/block_scan.hpp>

namespace sinter::codegen {

const char* const block_scan_text = R"(
constexpr unsigned all_lanes = 0xffffffffu;

// The sum of what the threads before this one have.
__device__ unsigned sum_before(unsigned* of_warps, const unsigned own)
{
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x / 32;
    unsigned sum = own;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned left = __shfl_up_sync(all_lanes, sum, step);
        if (lane >= step) sum += left;
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    unsigned before = sum - own;
    for (unsigned w = 0; w < warp; ++w) before += of_warps[w];
    return before;
}
)";

}  // namespace sinter::codegen
