// How the host runs a kernel: which blocks, in which order, and what is done to each. A plan depends on the kernel
// alone, never on the number of threads, so results do not either.
//
// Groups are dealt to tiles of neighbours. For one tile, the stages compute the group-level values of all its groups
// and the loops go over inner elements in blocks. Every value of a block is a dense run of elements, so each op costs
// one call a block.
#pragma once

#include <codegen/host/strided.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen::blocked {

/// Which pool of buffers a value lives in: filled once a call, once a tile, or once a block.
enum class pool : std::uint8_t { uniform, tile, loop };
inline constexpr int pool_count = 3;

/// A value while the plan runs: one of the kernel's, a conversion that it left implicit, or a group-level value
/// repeated along a block of inner elements.
struct slot {
    dtype type{};
    pool where{};
    int buffer = -1;            ///< position in its pool; -1 where it has none
    std::int64_t kept_at = -1;  ///< where in a tile's kept_bytes all its elements stay, for a later loop; -1: nowhere
};

struct step {
    int out = -1;
    std::array<int, ir::max_operands> in{-1, -1, -1};
    detail::map_loop run = nullptr;  ///< null: a load or an index
    int load = -1;                   ///< position in plan::loads; with in[0], a number of elements to go further
    int index = -1;                  ///< position in plan::indices
    int store = -1;                  ///< position in section::stores whose memory the result may be computed into
    int scan = -1;                   ///< position in loop_plan::scans
    bool of_group = false;           ///< loads: in[0] has one element for each of the block's groups
    int builtin = -1;                ///< of a row of the op table with two operands: which one
};

struct store_step {
    int value = -1;
    access to;
    bool streams = false;  ///< the array is larger than the caches: its elements go past them
};

struct section {
    std::vector<step> steps;
    std::vector<store_step> stores;
};

struct expansion {
    int from = -1, to = -1;
};

struct fold_step {
    int reduce = -1;  ///< slot of the result
    int in = -1;
    detail::host_loops loops;
    detail::fold_loop fold = nullptr;  ///< of `loops`: the one for the operand's dtype
    bool of_parts = false;             ///< the operand has the dtype of the accumulator's parts
    std::size_t element_size = 0;
    std::size_t levels_at = 0;  ///< where in a task's level_bytes its partial results begin
};

/// What a loop runs along: its carries are one of each group of a block, and stay from block to block.
struct scan_step {
    detail::host_loops loops;
    ir::scalar_bits identity;
    std::size_t element_size = 0;
    bool exclusive = false;
    std::size_t carry_at = 0;  ///< where in a task's carry_bytes its carries begin
};

struct loop_plan {
    section body;
    std::vector<expansion> expansions;
    std::vector<fold_step> folds;
    std::vector<scan_step> scans;
    std::vector<int> kept;  ///< slots of earlier loops that it reads
    bool backwards = false;
    bool columns = false;  ///< a block is one inner element of all the tile's groups, else a run of inner ones
    std::int64_t trips = 0;
    std::int64_t block_groups = 1, block_trips = 1;
    std::int64_t leaf_blocks = 1;  ///< blocks folded in sequence; their results are combined pairwise
    std::int64_t chunk = 0;        ///< split tiles: inner elements a task takes, a multiple of block_trips
};

struct constant_fill {
    int slot = -1;
    int scalar = -1;  ///< a scalar argument, or -1: `bits`
    std::uint64_t bits = 0;
};

struct plan {
    std::uint64_t number = 0;  ///< which no other plan has; given by those who run it
    std::size_t scalars = 0;   ///< how many scalar arguments there are
    std::vector<slot> slots;   ///< the kernel's values first
    std::vector<access> loads;
    std::vector<access> indices;  ///< with an element size of 1: offsets are the indices themselves
    std::vector<constant_fill> fills;
    section uniform;              ///< what depends on constants and scalars alone
    std::vector<section> stages;  ///< one more than there are loops
    std::vector<loop_plan> loops;
    std::vector<int> lasting;  ///< slots whose place is known before a step has filled it

    std::int64_t groups = 0;
    std::int64_t block_size = 0;  ///< elements a buffer holds
    std::size_t buffer_bytes = 0;
    std::array<int, pool_count> buffers{};
    std::int64_t tile = 0;  ///< groups a tile; tiles do not straddle multiples of `span`
    std::int64_t span = 0;
    std::int64_t tiles_per_span = 0, tiles = 0;
    std::int64_t grain = 1;             ///< tiles that are worth a task of their own
    bool streams = false;               ///< some store does
    bool split = false;                 ///< few tiles with long loops: the loops' elements are dealt to tasks as well
    std::size_t level_bytes = 0;        ///< partial results of one task: levels of a binary counter
    std::size_t carry_bytes = 0;        ///< carries of one task
    std::int64_t kept_bytes = 0;        ///< what a tile's loops leave for later ones
    std::int64_t uniform_elements = 0;  ///< how often each value is repeated that is the same everywhere
    std::size_t uniform_bytes = 0;      ///< of these values and the table of where they lie
    std::size_t frame_bytes = 0;        ///< what a thread needs to run tiles

    std::vector<plan> regions;   ///< plans that make up this one, which then has no steps of its own
    std::int64_t parts = 0;      ///< part i of all is the i-th share of each region's tiles
    std::size_t uniform_at = 0;  ///< of a region: where its uniform_bytes begin

    block tile_at(std::int64_t t) const {
        const std::int64_t within = t % tiles_per_span * tile;
        return {t / tiles_per_span * span + within, tile < span - within ? tile : span - within, 0, 1};
    }
};

plan make_plan(const kernel& k, instruction_set isa);

/// Makes one step of two where that saves a pass over the block.
void fuse_pairs(plan& p, instruction_set isa);

/// The last step for a kernel that is cut into regions: one plan of several. Regions lie side by side in memory, so all
/// of them are run along it together.
plan join_regions(std::vector<plan> regions);

/// Where buffers and partial results begin: at multiples of a cache line's bytes.
inline constexpr std::int64_t alignment = 64;

/// Bytes of a buffer's values: three or four buffers fit a first-level cache.
inline constexpr std::size_t buffer_size = 8 * 1024;

/// The last step of making a plan: gives slots their buffers, and partial results and carries their places.
void assign_buffers(plan& p);

}  // namespace sinter::codegen::blocked
