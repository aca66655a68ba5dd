// Runs the blocks of one launch: threads as cooperative fibers, barriers, warp collectives, and error reports.
#pragma once

#include <tests/emulate/abi.hpp>
#include <tests/emulate/cluster.hpp>
#include <tests/emulate/fibers.hpp>
#include <tests/emulate/global_races.hpp>
#include <tests/emulate/memory.hpp>
#include <tests/emulate/shared_races.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sinter::emulate {

/// The order in which blocks run and threads are scheduled. Results must not depend on it.
enum class run_order { forward, reverse, shuffled };

/// Maximum number of threads that wait for other blocks: each stack takes two of the 65530 memory mappings that a
/// process may have. A machine with no more resident threads never reaches it.
inline constexpr std::int64_t max_waiting_threads = 24000;

struct launch_request {
    sinter_emulate::image_state* image = nullptr;
    void (*kernel)(void** arguments) = nullptr;
    void** arguments = nullptr;
    std::int64_t grid = 1;  ///< blocks, total
    int block = 1;          ///< threads per block, total
    sinter_emulate::index3 grid_size{}, block_size{};
    int cluster = 1;                   ///< blocks, along x, that run together and access each other's shared memory
    char* dynamic_shared = nullptr;    ///< null where the kernel declares none
    std::size_t dynamic_bytes = 0;     ///< that the launch requests
    std::size_t dynamic_capacity = 0;  ///< size of the array in the image
    std::int64_t max_resident = 1;     ///< resident blocks of the device
};

/// The coordinates of the n-th block of a grid or the n-th thread of a block: x varies fastest.
sinter_emulate::index3 place_of(std::int64_t n, const sinter_emulate::index3& size);

/// CUDA's name of a warp collective, for messages.
const char* name_of(sinter_emulate::collective what);

/// Threads run one at a time and switch only at barriers and warp collectives. Blocks run one after the other, except
/// that a block all of whose threads wait, one of them in __nanosleep or for its cluster, is suspended in favour of the
/// next one and resumed later. Clusters run one after the other.
class block_runner {
public:
    explicit block_runner(memory& device_memory) : memory_(device_memory) {}

    /// Runs every block. Returns an error that names block and thread, or an empty string.
    std::string run(const launch_request& request, run_order order);

    /// The order of the blocks' memory accesses: one per device.
    global_races& races() { return global_races_; }

private:
    enum class status : std::uint8_t { unstarted, ready, at_barrier, in_collective, asleep, exited };

    struct thread {
        status state = status::unstarted;
        fiber* on = nullptr;
        int line = 0;                          ///< of the barrier or collective it waits in
        bool predicate = false;                ///< at a barrier
        unsigned mask = 0;                     ///< in a collective: its lanes,
        sinter_emulate::collective what{};     ///< its kind,
        unsigned long long value = 0;          ///< this lane's argument
        unsigned long long received[32] = {};  ///< and its results
        cluster_time time;
    };
    /// A suspended block that waits for others.
    struct parked {
        std::int64_t block_index = 0;
        std::vector<thread> threads;
        std::vector<std::uint32_t> warp_clock;
        std::vector<char> shared;
        shared_races races;
        std::uint32_t block_clock = 0;
        int running = 0, waiting = 0, barrier_count = 0;
    };
    struct abandoned {};  ///< unwinds a thread that cannot continue

    static int on_block_barrier(bool predicate, int line);
    static const unsigned long long* on_warp_exchange(unsigned mask, unsigned long long value,
                                                      sinter_emulate::collective what, int line);
    static void on_access(const void* address, unsigned long bytes, sinter_emulate::access_kind kind);
    static void on_fence();
    static void on_sleep(int line);
    static void on_cluster_arrive(int line);
    static void on_cluster_wait(int line);
    static void* on_in_block(const void* own, unsigned block, int line);
    static void on_fail(const char* cause, int line);

    void start_block();
    bool advance();  // false when the block's threads wait for other blocks
    void end_block();
    void run_or_park();
    void wake(parked& block);
    void wake_until(std::int64_t few);  // resumes blocks in turn until at most `few` wait
    void run_threads();                 // a fiber's body: a thread, then later ones that have not started
    void go_on(int thread_index);
    void wait();  // until the scheduler resumes the current thread
    void complete_collective(unsigned mask, int first);
    void abandon_all();
    [[noreturn]] void fail(std::string cause, int line);
    std::string stuck() const;
    std::string whereabouts(int thread_index) const;
    int rank() const { return static_cast<int>(block_index_ % request_.cluster); }
    bool in_shared(const char* p, unsigned long bytes) const;
    void on_global_access(const void* p, unsigned long bytes, sinter_emulate::access_kind kind, const char* does);

    /// Kernels call back through plain functions, which find the active runner here.
    static thread_local constinit block_runner* at_work;

    memory& memory_;
    launch_request request_;
    std::vector<std::unique_ptr<fiber>> fibers_;
    std::vector<fiber*> resting_;
    std::vector<thread> threads_;
    std::vector<std::uint32_t> warp_clock_;
    std::vector<parked> parked_;
    std::int64_t not_started_ = 0;
    std::int64_t progress_ = 0;  ///< steps that threads have made so far, except sleeping
    std::vector<int> turns_;     ///< the threads in scheduling order
    std::size_t turn_ = 0;       ///< position in turns_
    shared_races races_;
    global_races global_races_;
    cluster_blocks cluster_;  ///< those of the current cluster
    std::uint32_t block_clock_ = 0;
    std::int64_t block_index_ = 0;
    int current_ = 0;
    int running_ = 0;        ///< threads of the block that have not exited
    int waiting_ = 0;        ///< threads at the block barrier
    int barrier_count_ = 0;  ///< true predicates at the last barrier
    bool failed_ = false;
    std::string failure_;
};

}  // namespace sinter::emulate
