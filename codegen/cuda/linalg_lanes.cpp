// The kernels of small square matrices: `lanes` neighbouring lanes of a warp have the rows of a matrix in registers,
// one row each, and read each other's by shuffles. Nothing waits at a barrier, and rows are exchanged by their numbers
// alone. The arithmetic is that of linalg_elimination.cpp, element by element. Lanes select what they keep in place of
// branches, after which shuffles would wait for all lanes.
#include <codegen/cuda/linalg.hpp>

namespace sinter::codegen {

const char* const lanes_text = R"(
__device__ real from_lane(const real x, const int lane) { return __shfl_sync(all_lanes, x, lane, lanes); }

// Elements that one access moves, where rows begin at multiples of 16 bytes.
constexpr int at_once = order * sizeof(scalar) % 16 == 0 ? 16 / sizeof(scalar) : 1;
struct alignas(at_once * sizeof(scalar)) pack { scalar part[at_once]; };

__device__ void read_row(scalar (&row)[order], const scalar* const from)
{
    if ((reinterpret_cast<unsigned long long>(from) & (sizeof(pack) - 1)) == 0) {
#pragma unroll
        for (int p = 0; p < order / at_once; ++p) {
            const pack held = reinterpret_cast<const pack*>(from)[p];
#pragma unroll
            for (int e = 0; e < at_once; ++e) row[p * at_once + e] = held.part[e];
        }
    } else {
#pragma unroll
        for (int k = 0; k < order; ++k) row[k] = from[k];
    }
}
)";

const char* const complex_from_lane_text = R"(
__device__ scalar from_lane(const scalar x, const int lane)
{
    return scalar(from_lane(x.re, lane), from_lane(x.im, lane));
}
)";

const char* const elimination_in_lanes_text = R"(
// Row exchanges of an elimination. Rows do not move: each has a place, and lane j knows which lane has the row of place
// j (`owner`) and with which place it was exchanged at step j (`pivot`).
struct exchanges {
    int place, owner, pivot;
    bool odd;
};

// L and U in the place of a matrix. A column of zeros is left unchanged.
__device__ exchanges eliminate(scalar (&row)[order])
{
    const int lane = threadIdx.x % lanes;
    exchanges made = {lane, lane, lane, false};
#pragma unroll
    for (int j = 0; j < order; ++j) {
        // the row, of those left, with the greatest element; of equal ones the first
        real best = made.place < j || made.place >= order ? real(-2) : sum_of_parts(row[j]);
        if (best != best) best = real(-1);
        int chosen = made.place * 32 + lane;
#pragma unroll
        for (int offset = lanes / 2; offset > 0; offset /= 2) {
            const real other = __shfl_xor_sync(all_lanes, best, offset, lanes);
            const int other_row = __shfl_xor_sync(all_lanes, chosen, offset, lanes);
            const bool is_first = other > best || (other == best && other_row < chosen);
            best = is_first ? other : best;
            chosen = is_first ? other_row : chosen;
        }
        const int from = chosen % 32, place = chosen / 32;
        made.place = lane == from ? j : made.place == j ? place : made.place;
        made.owner = lane == j ? from : made.owner;
        made.pivot = lane == j ? place : made.pivot;
        made.odd = made.odd != (place != j);
        const scalar pivot = from_lane(row[j], from);
        const bool is_below = made.place > j && !(pivot == scalar(0));
        const scalar factor = row[j] / pivot;
        row[j] = is_below ? factor : row[j];
#pragma unroll
        for (int k = j + 1; k < order; ++k) {
            const scalar less = row[k] - row[j] * from_lane(row[k], from);
            row[k] = is_below ? less : row[k];
        }
    }
    return made;
}
)";

const char* const solve_in_lanes_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ x, const scalar* __restrict__ a, const scalar* __restrict__ b, const long long matrices,
    const long long m, const long long extent0, const long long step_a0, const long long step_b0,
    const long long extent1, const long long step_a1, const long long step_b1, const long long extent2,
    const long long step_a2, const long long step_b2, const long long extent3, const long long step_a3,
    const long long step_b3, const long long extent4, const long long step_a4, const long long step_b4,
    const long long extent5, const long long step_a5, const long long step_b5)
{
    const batch_axis axes[6] = {{extent0, step_a0, step_b0}, {extent1, step_a1, step_b1}, {extent2, step_a2, step_b2},
                                {extent3, step_a3, step_b3}, {extent4, step_a4, step_b4}, {extent5, step_a5, step_b5}};
    const int lane = threadIdx.x % lanes;
    const long long own = (blockIdx.x * (long long)threads + threadIdx.x) / lanes;
    const long long matrix = own < matrices ? own : matrices - 1;
    long long rest = matrix, of_a = 0, of_b = 0;
#pragma unroll
    for (int axis = 5; axis >= 0; --axis) {
        if (axes[axis].extent == 1) continue;
        const bool is_last = rest < axes[axis].extent;  // divisions of 64 bits take as long as an access to memory
        const long long i = is_last ? rest : rest % axes[axis].extent;
        rest = is_last ? 0 : rest / axes[axis].extent;
        of_a += i * axes[axis].stride_a;
        of_b += i * axes[axis].stride_b;
    }
    scalar row[order];
    read_row(row, a + of_a + (lane < order ? lane : 0) * order);
    const exchanges made = eliminate(row);
    for (long long first = 0; first < m; first += sides) {
        scalar side[sides];
#pragma unroll
        for (int c = 0; c < sides; ++c) {
            side[c] = scalar(first + c == lane ? 1 : 0);
            if (b && lane < order && first + c < m) side[c] = b[of_b + lane * m + first + c];
        }
#pragma unroll
        for (int j = 0; j < order; ++j) {
            const int from = __shfl_sync(all_lanes, made.owner, j, lanes);
            const scalar pivot = from_lane(row[j], from);
            const bool is_below = made.place > j && !(pivot == scalar(0));
#pragma unroll
            for (int c = 0; c < sides; ++c) {
                const scalar less = side[c] - row[j] * from_lane(side[c], from);
                side[c] = is_below ? less : side[c];
            }
        }
#pragma unroll
        for (int j = order - 1; j >= 0; --j) {
            const int from = __shfl_sync(all_lanes, made.owner, j, lanes);
#pragma unroll
            for (int c = 0; c < sides; ++c) {
                const scalar quotient = side[c] / row[j];
                side[c] = made.place == j ? quotient : side[c];
                const scalar less = side[c] - row[j] * from_lane(side[c], from);
                side[c] = made.place < j ? less : side[c];
            }
        }
        if (lane < order && own < matrices) {
#pragma unroll
            for (int c = 0; c < sides; ++c)
                if (first + c < m) x[(matrix * order + made.place) * m + first + c] = side[c];
        }
    }
}
)";

const char* const lu_in_lanes_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ packed, long long* __restrict__ pivots, const scalar* __restrict__ a,
    const long long matrices)
{
    const int lane = threadIdx.x % lanes;
    const long long own = (blockIdx.x * (long long)threads + threadIdx.x) / lanes;
    const long long matrix = own < matrices ? own : matrices - 1;
    scalar row[order];
    read_row(row, a + (matrix * order + (lane < order ? lane : 0)) * order);
    const exchanges made = eliminate(row);
    if (lane >= order || own >= matrices) return;
    if (pivots) pivots[matrix * order + lane] = made.pivot;
    if (!packed) return;
#pragma unroll
    for (int k = 0; k < order; ++k) packed[(matrix * order + made.place) * order + k] = row[k];
}
)";

const char* const det_in_lanes_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ det, scalar* __restrict__ sign, real* __restrict__ log_modulus, const scalar* __restrict__ a,
    const long long matrices)
{
    const int lane = threadIdx.x % lanes;
    const long long own = (blockIdx.x * (long long)threads + threadIdx.x) / lanes;
    const long long matrix = own < matrices ? own : matrices - 1;
    scalar row[order];
    read_row(row, a + (matrix * order + (lane < order ? lane : 0)) * order);
    const exchanges made = eliminate(row);
    scalar product = scalar(made.odd ? -1 : 1), direction = product;
    real logs = 0;
#pragma unroll
    for (int j = 0; j < order; ++j) {
        const scalar x = from_lane(row[j], __shfl_sync(all_lanes, made.owner, j, lanes));
        const real size_of_x = modulus(x);
        product = product * x;
        logs += log(size_of_x);
        direction = size_of_x == real(0) ? scalar(0) : direction * over(x, size_of_x);
    }
    if (lane != 0 || own >= matrices) return;
    if (det) det[matrix] = product;
    if (sign) sign[matrix] = direction;
    if (log_modulus) log_modulus[matrix] = logs;
}
)";

const char* const cholesky_in_lanes_text = R"(
// The lower factor, or its conjugate transpose. A matrix that is not positive definite gives NaN everywhere.
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    scalar* __restrict__ factor, const scalar* __restrict__ a, const long long matrices, const long long upper)
{
    const int lane = threadIdx.x % lanes, own_row = lane < order ? lane : 0;
    const long long own = (blockIdx.x * (long long)threads + threadIdx.x) / lanes;
    const long long first = (own < matrices ? own : matrices - 1) * (order * order);
    scalar row[order];
    if (upper) {
#pragma unroll
        for (int k = 0; k < order; ++k) row[k] = conjugate(a[first + k * order + own_row]);
    } else {
        read_row(row, a + first + own_row * order);
    }
#pragma unroll
    for (int j = 0; j < order; ++j) {
        const real square_of_pivot = real_part(from_lane(row[j], j));
        const real pivot = square_of_pivot > 0 ? sqrt(square_of_pivot) : infinity() - infinity();
        const scalar below = over(row[j], pivot);
        row[j] = lane == j ? scalar(pivot) : below;
#pragma unroll
        for (int k = j + 1; k < order; ++k) {
            const scalar less = row[k] - row[j] * conjugate(from_lane(row[j], k));
            row[k] = lane >= k ? less : row[k];
        }
    }
    const bool failed = !(real_part(from_lane(row[order - 1], order - 1)) > 0);
    if (lane >= order || own >= matrices) return;
#pragma unroll
    for (int k = 0; k < order; ++k) {
        scalar x = k > lane ? scalar(0) : upper ? conjugate(row[k]) : row[k];
        if (failed && k <= lane) x = scalar(infinity() - infinity());
        factor[first + (upper ? k * order + lane : lane * order + k)] = x;
    }
}
)";

}  // namespace sinter::codegen
