// The interface between a kernel compiled for the host and the emulator. The shim includes it before the generated
// source, so it must not include anything.
#pragma once

namespace sinter_emulate {

struct index3 {
    unsigned x, y, z;
};

/// The warp intrinsic that a lane waits in: all lanes of a mask must wait in the same one.
enum class collective : int { sync, shuffle, vote, reduce };

enum class access_kind : int { read, write, atomic, volatile_read, volatile_write };

/// The emulator's services for running threads. On misuse none of them returns: it unwinds the thread.
struct services {
    /// __syncthreads and its counting forms: the number of threads whose predicate holds.
    int (*block_barrier)(bool predicate, int line);
    /// Waits for every lane of the mask; returns the lanes' 32 values, poison for lanes outside the mask.
    const unsigned long long* (*warp_exchange)(unsigned mask, unsigned long long value, collective what, int line);
    /// Called before every read and write except those of plain local variables.
    void (*access)(const void* address, unsigned long bytes, access_kind kind);
    /// __threadfence: orders accesses before it, by any thread of the block, before those after it, for other blocks.
    void (*fence)();
    /// __nanosleep: the thread may wait for another block, so the other blocks are scheduled.
    void (*sleep)(int line);
    /// The cluster's barrier in two steps; then the address in another block's shared memory that corresponds to `own`.
    void (*cluster_arrive)(int line);
    void (*cluster_wait)(int line);
    void* (*in_block)(const void* own, unsigned block, int line);
    void (*fail)(const char* cause, int line);
};

/// The image's side: built-in variables that the emulator sets, and the addresses of the image's data.
struct image_state {
    index3 thread, block, block_size, grid_size;
    services emulator;   ///< a copy: the image may not read the emulator's memory
    char* shared_begin;  ///< the __shared__ arrays of the running kernel
    char* shared_end;
    char* image_begin;  ///< the whole image: its constants may be read
    char* image_end;
};

}  // namespace sinter_emulate
