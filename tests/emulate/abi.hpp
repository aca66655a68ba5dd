// What a kernel compiled for the host and the emulator share. The shim includes it before generated text, so it may
// include nothing itself.
#pragma once

namespace sinter_emulate {

struct index3 {
    unsigned x, y, z;
};

/// Which warp intrinsic a lane waits in: all lanes of a mask must wait in the same one.
enum class collective : int { sync, shuffle, vote, reduce };

enum class access_kind : int { read, write, atomic, volatile_read, volatile_write };

/// What the emulator does for running threads. None of these returns when it finds misuse: it unwinds the thread.
struct services {
    /// __syncthreads and its counting forms: the number of threads whose predicate holds.
    int (*block_barrier)(bool predicate, int line);
    /// Waits for every lane of the mask; the 32 values returned are those lanes', poison for lanes outside the mask.
    const unsigned long long* (*warp_exchange)(unsigned mask, unsigned long long value, collective what, int line);
    /// Before every read and write that is not of a plain local variable.
    void (*access)(const void* address, unsigned long bytes, access_kind kind);
    /// __threadfence: orders what was before it, in any thread of the block, and what is behind it, for other blocks.
    void (*fence)();
    /// __nanosleep: what the thread waits for may be another block's to do, so that other blocks get their turns.
    void (*sleep)(int line);
    /// The cluster's barrier in two steps; then where in another block's shared memory is what is `own` in this one's.
    void (*cluster_arrive)(int line);
    void (*cluster_wait)(int line);
    void* (*in_block)(const void* own, unsigned block, int line);
    void (*fail)(const char* cause, int line);
};

/// One image's side: built-in variables that the emulator sets, and where the image keeps its data.
struct image_state {
    index3 thread, block, block_size, grid_size;
    services emulator;   ///< a copy: the image may read nothing of the emulator's
    char* shared_begin;  ///< the __shared__ arrays of the kernel that runs
    char* shared_end;
    char* image_begin;  ///< everything the image holds: its constants may be read
    char* image_end;
};

}  // namespace sinter_emulate
