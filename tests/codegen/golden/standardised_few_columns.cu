// (x0 - mean(x0, axis=0)) / stddev(x0, axis=0)
//
// columns: 16 threads a column, 16 columns a block, 8 accumulators a thread, elements kept in registers,
// several blocks a tile that meet at grid barriers

// How a reduction folds two values.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// Waits until every block of the team has come here. An arrival adds 1 to the counter, that of part 0 what is
// missing to 2^31: the top bit flips when the last one arrives, and the counter is ready for the next
// barrier.
static __device__ __forceinline__ void meet_team(unsigned int* arrived, const int part, const int parts) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();  // what the block has written is visible before its arrival
        const unsigned int before = atomicAdd(arrived, part == 0 ? 0x80000001u - unsigned(parts) : 1u);
        const volatile unsigned int* now = arrived;
        while (((*now ^ before) & 0x80000000u) == 0) __nanosleep(20);
        __threadfence();  // and what the others have written, behind it
    }
    __syncthreads();
}

// One element of loop 0, folded into what has been seen so far.
static __device__ __forceinline__ void fold_0(float& sum_2, const float x0) {
    sum_2 = sum_of(sum_2, x0);
}

// One element of loop 1, folded into what has been seen so far.
static __device__ __forceinline__ void fold_1(float& sum_7, const float x0, const float divide_3) {
    const float subtract_5 = x0 - divide_3;
    const float square_6 = subtract_5 * subtract_5;
    sum_7 = sum_of(sum_7, square_6);
}

// One element of the result.
static __device__ __forceinline__ float element_2(const float x0, const float divide_3, const float sqrt_9) {
    const float subtract_11 = x0 - divide_3;
    const float divide_12 = subtract_11 / sqrt_9;
    return divide_12;
}

extern "C" __global__ void __launch_bounds__(256, 4) sinter_kernel(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float a0,
    const int columns,
    const int n,
    const int x0_stride_1,
    const int x0_stride_3,
    const int parts,
    unsigned char* workspace)
{
    // A block is 16 columns wide. Threads past the last column repeat it and store nothing: they must be
    // there for the barriers.
    const int thread_column = threadIdx.x % 16;
    const int thread_row = threadIdx.x / 16;
    const int tiles = (columns + 15) / 16;
    // A team of blocks shares every tile; each takes one part of it. All blocks of the launch run at once, so
    // that they may wait for each other. A team's tiles are number team, team + teams, ...
    const int teams = gridDim.x / parts;
    const int team = blockIdx.x / parts;
    const int part = blockIdx.x % parts;
    const int share = ((n + 15) / 16 + parts - 1) / parts * 16;
    const int begin = part * share;
    const int end = n - begin < share ? n : begin + share;

    // In the workspace: a counter for the barrier of each team, then the results of the parts.
    unsigned int* arrived = reinterpret_cast<unsigned int*>(workspace + team * 128);
    unsigned char* results = workspace + teams * 128;
    int turn = 0;  // of two places for results: some blocks may be a tile ahead
    for (int tile = team; tile < tiles; tile += teams) {
        const int place = tile * 16 + thread_column;
        const int column = place < columns ? place : columns - 1;
        const float* x0_column = x0 + column;
        float* out0_column = out0 + column;

        // A thread's elements of the column are read once and stay in its registers for all loops.
        int k = begin + thread_row;
        asm volatile("" : "+r"(k));  // so that no distances are kept in registers
        float x0_at[32];
        #pragma unroll
        for (int u = 0; u < 32; ++u) {
            const int i = k + u * 16;
            if (i < end) {
                x0_at[u] = x0_column[i * x0_stride_1];
            }
        }

        float sum_2_parts[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) sum_2_parts[u] = 0.0f;
        asm volatile("" : "+r"(k));  // so that no distances are kept in registers
        #pragma unroll
        for (int u = 0; u < 32; ++u) {
            const int i = k + u * 16;
            if (i < end) {
                fold_0(sum_2_parts[u % 8], x0_at[u]);
            }
        }
        float sum_2 = sum_2_parts[0];
        #pragma unroll
        for (int u = 1; u < 8; ++u) sum_2 = sum_of(sum_2, sum_2_parts[u]);
        // The threads of a column meet in shared memory: half of them fold in the other half, until one is
        // left.
        __shared__ float sum_2_of_thread[16][16];
        sum_2_of_thread[thread_row][thread_column] = sum_2;
        __syncthreads();
        for (int half = 8; half > 0; half /= 2) {
            if (thread_row < half) {
                sum_2 = sum_of(sum_2, sum_2_of_thread[thread_row + half][thread_column]);
                sum_2_of_thread[thread_row][thread_column] = sum_2;
            }
            __syncthreads();
        }
        sum_2 = sum_2_of_thread[0][thread_column];

        // The block leaves the result of its part; when its whole team has, it folds those of all parts, in
        // their own order.
        float* sum_2_of_part = reinterpret_cast<float*>(results + (0 + turn * 128) * gridDim.x) + team * parts * 16;
        if (thread_row == 0) sum_2_of_part[part * 16 + thread_column] = sum_2;
        meet_team(arrived, part, parts);
        sum_2 = 0.0f;
        #pragma unroll 1
        for (int p = thread_row; p < parts; p += 16) {
            sum_2 = sum_of(sum_2, sum_2_of_part[p * 16 + thread_column]);
        }
        // The threads of a column meet in shared memory: half of them fold in the other half, until one is
        // left.
        sum_2_of_thread[thread_row][thread_column] = sum_2;
        __syncthreads();
        for (int half = 8; half > 0; half /= 2) {
            if (thread_row < half) {
                sum_2 = sum_of(sum_2, sum_2_of_thread[thread_row + half][thread_column]);
                sum_2_of_thread[thread_row][thread_column] = sum_2;
            }
            __syncthreads();
        }
        sum_2 = sum_2_of_thread[0][thread_column];
        const float divide_3 = sum_2 / a0;

        float sum_7_parts[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) sum_7_parts[u] = 0.0f;
        asm volatile("" : "+r"(k));  // so that no distances are kept in registers
        #pragma unroll
        for (int u = 0; u < 32; ++u) {
            const int i = k + u * 16;
            if (i < end) {
                fold_1(sum_7_parts[u % 8], x0_at[u], divide_3);
            }
        }
        float sum_7 = sum_7_parts[0];
        #pragma unroll
        for (int u = 1; u < 8; ++u) sum_7 = sum_of(sum_7, sum_7_parts[u]);
        // The threads of a column meet in shared memory: half of them fold in the other half, until one is
        // left.
        __shared__ float sum_7_of_thread[16][16];
        sum_7_of_thread[thread_row][thread_column] = sum_7;
        __syncthreads();
        for (int half = 8; half > 0; half /= 2) {
            if (thread_row < half) {
                sum_7 = sum_of(sum_7, sum_7_of_thread[thread_row + half][thread_column]);
                sum_7_of_thread[thread_row][thread_column] = sum_7;
            }
            __syncthreads();
        }
        sum_7 = sum_7_of_thread[0][thread_column];

        // The block leaves the result of its part; when its whole team has, it folds those of all parts, in
        // their own order.
        float* sum_7_of_part = reinterpret_cast<float*>(results + (256 + turn * 128) * gridDim.x) + team * parts * 16;
        if (thread_row == 0) sum_7_of_part[part * 16 + thread_column] = sum_7;
        meet_team(arrived, part, parts);
        sum_7 = 0.0f;
        #pragma unroll 1
        for (int p = thread_row; p < parts; p += 16) {
            sum_7 = sum_of(sum_7, sum_7_of_part[p * 16 + thread_column]);
        }
        // The threads of a column meet in shared memory: half of them fold in the other half, until one is
        // left.
        sum_7_of_thread[thread_row][thread_column] = sum_7;
        __syncthreads();
        for (int half = 8; half > 0; half /= 2) {
            if (thread_row < half) {
                sum_7 = sum_of(sum_7, sum_7_of_thread[thread_row + half][thread_column]);
                sum_7_of_thread[thread_row][thread_column] = sum_7;
            }
            __syncthreads();
        }
        sum_7 = sum_7_of_thread[0][thread_column];
        const float divide_8 = sum_7 / a0;
        const float sqrt_9 = sqrt(divide_8);

        if (place < columns) {
            asm volatile("" : "+r"(k));  // so that no distances are kept in registers
            #pragma unroll
            for (int u = 0; u < 32; ++u) {
                const int i = k + u * 16;
                if (i < end) {
                    out0_column[i * x0_stride_3] = element_2(x0_at[u], divide_3, sqrt_9);
                }
            }
        }
        turn = 1 - turn;
        __syncthreads();  // the next tile uses the shared arrays again
    }
}
