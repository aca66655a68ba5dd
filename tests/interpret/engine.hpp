// The state of one launch, and its execution: blocks, their warps, and the scheduler.
#pragma once

#include <tests/emulate/cluster.hpp>
#include <tests/emulate/fibers.hpp>
#include <tests/emulate/shared_races.hpp>
#include <tests/interpret/code.hpp>
#include <tests/interpret/interpreter.hpp>

#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace sinter::interpret {

using emulate::fiber;

enum class warp_state : std::uint8_t { ready, at_barrier, waiting, ended };

struct block_state;

/// A lane's pending asynchronous copy to shared memory.
struct pending_copy {
    const node* to = nullptr;
    int element = 0, lane = 0;
    std::vector<char> bytes;
};

/// Of each warp of a block, the first epoch that may not be over for who knows this.
using warp_clocks = std::vector<std::uint32_t>;

/// A box on its way to shared memory.
struct pending_box {
    std::size_t unit = 0, units = 0, byte = 0;  ///< where it begins there, how many elements it has
    std::vector<char> bytes;
};

/// A phase barrier. What arrivals of the current phase know becomes known to those that wait for its end.
struct phase_barrier {
    int arrivals = 0, arrived = 0;
    std::int64_t expected = 0;  ///< bytes
    std::uint32_t ended = 0;    ///< phases
    warp_clocks known, told;    ///< since the end of the latest phase, and by the current one
    std::vector<pending_box> boxes;
};

/// A barrier of the first threads of a block.
struct threads_barrier {
    const struct step* at = nullptr;
    int arrived = 0;
    std::uint32_t passed = 0;
    warp_clocks known, told;
};

/// How copies find boxes in an array.
struct box_map {
    int of = -1;           ///< the array,
    std::size_t size = 2;  ///< its elements' bytes
    std::uint64_t first = 0;
    std::vector<std::int64_t> extents, strides;  ///< along each axis; the first one is contiguous
    int lines = 0;
};

inline constexpr std::size_t none_arrived = ~std::size_t{0};

struct warp {
    block_state* block = nullptr;
    int number = 0;       ///< in its block
    lane_mask lanes = 0;  ///< that are threads
    lane_mask alive = 0;  ///< that have not left
    warp_state state{};
    std::uint32_t clock = 0;  ///< advances at shuffles
    std::uint32_t epoch = 1;  ///< advances at arrivals
    warp_clocks seen;
    std::size_t latest_arrival = none_arrived;  ///< the unit of the phase barrier
    emulate::cluster_time time;
    std::vector<char> memory;                      ///< variables and registers
    std::vector<lane_mask> has_value;              ///< of each of them, which lanes
    std::vector<std::uint64_t> addresses;          ///< of the arrays in global memory: 32 each
    std::vector<int> roots;                        ///< of the arrays in global memory: the parameter they are a part of
    std::deque<std::vector<pending_copy>> copies;  ///< groups in flight; the last one is not committed
    std::vector<std::size_t> unfenced;             ///< elements of swizzled arrays written since the latest fence
    std::deque<std::vector<std::size_t>> multiplying;  ///< elements of shared memory that batches of products in flight
                                                       ///< read; the last one is not committed
    const step* at = nullptr;                          ///< the current statement
    fiber* on = nullptr;
};

struct block_state {
    std::int64_t number = 0;
    std::vector<std::unique_ptr<warp>> warps;
    std::vector<char> shared;
    emulate::shared_races races;
    std::vector<char> copying;     ///< per element of shared memory: whether a copy to it is in flight
    std::vector<int> unfenced;     ///< likewise: the warp that wrote it without a fence since, counted from 1, or 0
    std::vector<int> multiplying;  ///< likewise: warps whose products in flight read it
    std::map<std::size_t, phase_barrier> phases;  ///< by unit of shared memory
    threads_barrier first_threads;
    std::uint32_t clock = 0;  ///< advances at barriers
    int running = 0, arrived = 0;
    bool is_here = false;  ///< begun, and not ended
};

class engine {
public:
    explicit engine(global_memory& memory) : memory_(memory) {}
    std::string run(const kernel& k, const launch_request& request);

private:
    struct abandoned {};  ///< unwinds a warp that cannot continue
    struct freed {
        void operator()(unsigned char* p) const { std::free(p); }
    };
    /// The allocation that a parameter points into; of a result, which bytes have been stored.
    struct root {
        root() = default;
        root(const char* from, const char* to, bool output) : begin(from), end(to), is_output(output) {}
        const char* begin = nullptr;
        const char* end = nullptr;
        bool is_output = false;
        std::unique_ptr<unsigned char, freed> stored;
    };

    // scheduler.cpp
    void read_arguments();
    void order_blocks();
    void start_blocks();
    void start(std::int64_t number);
    void take_turns();
    void give_turn(warp& w);
    bool wake_waiting();
    void end_block(block_state& b);
    void run_warp();
    void abandon_all();
    void suspend(warp_state until);
    std::string vain_waits() const;
    [[noreturn]] void fail(const std::string& cause, int lane = -1);
    int rank(const block_state& b) const { return static_cast<int>(b.number % cluster_size_); }

    // waits.cpp
    void barrier(const step& s, lane_mask m);
    void barrier_of_block(const step& s, lane_mask m);
    void barrier_of_cluster();
    void barrier_of_blocks(const step& s);
    void ticket(const step& s, lane_mask m);
    void publish(const step& s, lane_mask m);
    void await(const step& s, lane_mask m);
    bool has_come(const step& s, lane_mask m, std::vector<char>& results);

    // matrices.cpp
    void require_warp(lane_mask m);
    void multiply_accumulate(const step& s, lane_mask m);
    void load_matrix(const step& s, lane_mask m);
    void async_copy(const step& s, lane_mask m);
    void commit_copies(lane_mask m);
    void wait_copies(const step& s, lane_mask m);

    // pipelines.cpp
    void start_phases(block_state& b);
    void barrier_of_threads(const step& s);
    void init_barriers(const step& s);
    void arrive(const step& s, lane_mask m);
    void wait_phase(const step& s, lane_mask m);
    void tensor_map(const step& s, lane_mask m);
    void copy_box(const step& s, lane_mask m);
    std::size_t barrier_unit(const step& s, int node, lane_mask m);
    phase_barrier& barrier_at(std::size_t unit);
    void end_phase(phase_barrier& b);
    void tell(warp_clocks& to);
    void learn(const warp_clocks& from);
    std::vector<std::int64_t> numbers(const std::vector<int>& nodes, lane_mask m, int lane);
    std::vector<char> bytes_of_box(const box_map& map, const std::vector<std::int64_t>& box, int lane);
    void begin_box(const step& s, std::size_t unit, std::size_t count, int lane);

    // warpgroups.cpp
    void fence_shared(lane_mask m);
    void multiply_warpgroup(const step& s, lane_mask m);
    void commit_products(lane_mask m);
    void wait_products(const step& s, lane_mask m);
    std::vector<float> factor_in_shared(const node& first, bool transposed, int from, int count, lane_mask m);
    const char* multiplied_elements(const node& n, std::size_t first);

    // execute.cpp
    void execute(const std::vector<step>& all, lane_mask m);
    void execute(const step& s, lane_mask m);
    void loop(const step& s, lane_mask m);
    void let(const step& s, lane_mask m);
    void declare(const step& s, lane_mask m);
    void carve(const step& s, lane_mask m);
    void realign(const step& s, lane_mask m);
    void widen(const step& s, lane_mask m);
    void store(int target, const char* value, lane_mask m);
    void call(const node& n, lane_mask m);
    void bind(const device_ir::function_parameter& p, int argument, const char* value, lane_mask m);
    void copy_back(const device_ir::function_parameter& p, int argument, lane_mask m);
    lane_mask truths(int condition, lane_mask m);

    // evaluate.cpp
    const char* value(int n, lane_mask m);
    const char* compute(const node& n, lane_mask m);
    const char* variable(const node& n, lane_mask m);
    const char* index(const node& n, lane_mask m);
    const char* both(const node& n, lane_mask m);
    const char* select(const node& n, lane_mask m);
    const char* map(const node& n, lane_mask m);
    const char* exchange(const node& n, lane_mask m);
    char* scratch(const node& n) { return scratch_.data() + n.scratch; }
    const node& at(int n) const { return code_->nodes[static_cast<std::size_t>(n)]; }
    const array_code& array_at(int a) const { return code_->arrays[static_cast<std::size_t>(a)]; }

    // accesses.cpp
    using addresses = std::array<std::uint64_t, warp_lanes>;
    using element_indices = std::array<int, warp_lanes>;
    void address(const node& n, lane_mask m, addresses& to);
    void element_index(const node& n, lane_mask m, element_indices& to);
    const char* read_registers(const node& n, lane_mask m);
    void write_registers(const node& n, const char* value, lane_mask m);
    const char* read_shared(const node& n, lane_mask m);
    void write_shared(const node& n, const char* value, lane_mask m);
    const char* read_peer(const node& n, lane_mask m);
    const char* read_global(const node& n, lane_mask m);
    void write_global(const node& n, const char* value, lane_mask m);
    void touch_shared(const node& n, const element_indices& at, lane_mask m, bool writes);
    void touch_global(const node& n, const addresses& at, lane_mask m, std::size_t bytes, access_kind kind);
    void touch_bytes(int array, std::uint64_t p, std::size_t bytes, access_kind kind, int lane);
    void store_once(int array, std::uint64_t p, std::size_t bytes, std::size_t size, int lane);
    void require_alignment(const node& n, std::uint64_t p, int lane);

    global_memory& memory_;
    const code* code_ = nullptr;
    launch_request request_;
    int cluster_size_ = 1;
    std::vector<char> uniform_;  ///< the initial memory of each warp
    std::vector<root> roots_;
    std::vector<std::uint64_t> bases_;  ///< of each array, if it is a parameter
    std::vector<int> base_roots_;
    std::vector<char> scratch_;
    std::mt19937 random_;
    std::vector<std::int64_t> blocks_;  ///< in the order in which they start
    std::size_t begun_ = 0;
    std::int64_t resident_ = 0;
    std::vector<std::unique_ptr<block_state>> states_;
    std::vector<block_state*> idle_;
    std::vector<warp*> ready_, waiting_;
    std::int64_t progress_ = 0;  ///< counts events that another warp may wait for
    std::int64_t progress_at_last_round_ = -1;
    std::uint32_t clock_ = 0;
    emulate::cluster_blocks cluster_;
    std::map<std::uint64_t, box_map> maps_;  ///< by address
    std::vector<block_state*> members_;      ///< the blocks of the current cluster
    std::vector<std::unique_ptr<fiber>> fibers_;
    std::vector<fiber*> resting_;
    warp* now_ = nullptr;
    std::int64_t block_now_ = -1;  ///< the running block, as set in the memory
    std::string failure_;
};

}  // namespace sinter::interpret
