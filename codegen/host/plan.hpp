// How the host runs a kernel: which blocks, in which order, and what is done to each. A plan depends on the kernel
// alone, never on the number of threads; therefore so do the results.
//
// Groups are divided into tiles of neighbours. For each tile, the stages compute the group-level values of all its
// groups, and the loops traverse inner elements in blocks. Every value of a block is a dense run of elements, so each
// op costs one call per block.
#pragma once

#include <codegen/host/moves.hpp>
#include <codegen/host/strided.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/rows/column_folds.hpp>
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/extremes.hpp>

#include <optional>
#include <string>

namespace sinter::codegen::blocked {

/// The pool of a value's buffer: filled once per call, once per tile, or once per block.
enum class pool : std::uint8_t { uniform, tile, loop };
inline constexpr int pool_count = 3;

/// A value while the plan runs: one of the kernel's, an implicit conversion, or a group-level value repeated along a
/// block of inner elements.
struct slot {
    dtype type{};
    pool where{};
    int buffer = -1;            ///< position in its pool; -1: none
    std::int64_t kept_at = -1;  ///< offset in the tile's kept_bytes of all its elements, for a later loop; -1: not kept
};

struct step {
    int out = -1;
    std::array<int, ir::max_operands> in{-1, -1, -1};
    detail::map_loop run = nullptr;  ///< null: a load or an index
    int load = -1;                   ///< position in plan::loads; with in[0], a gather displaced by that many elements
    int index = -1;                  ///< position in plan::indices
    int store = -1;                  ///< position in section::stores; the result may be computed into its memory
    int scan = -1;                   ///< position in loop_plan::scans
    bool by_one_number = false;      ///< a division by a number that all elements share
    bool of_group = false;           ///< gathers: in[0] has one element per group of the block
    int builtin = -1;                ///< builtin_op of a table row with two operands, else -1
    const op_row* op = nullptr;      ///< null for conversions
    dtype computes{};                ///< the dtype in which `op` computes
    int fused = -1;                  ///< position in plan::fused; replaces several steps
};

struct store_step {
    int value = -1;
    access to;
    bool streams = false;  ///< the array is larger than the caches: use non-temporal stores
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
    extreme_fold extreme = nullptr;    ///< `in` are elements, whose indices are affine: `index` in plan::indices
    int index = -1;
    int in_place = -1;                 ///< position in plan::loads: reads this array where it lies, not blocks of it
    column_fold in_columns = nullptr;  ///< then, of columns
    const op_row* op = nullptr;
    dtype type{};        ///< of the accumulator
    bool fused = false;  ///< a fused loop folds, whole rows at a time
    ir::scalar_bits identity;
    std::size_t element_size = 0;
    std::size_t levels_at = 0;  ///< where in a task's level_bytes its partial results begin
};

/// A scan along a loop. It has one carry per group of a block, which passes from block to block.
struct scan_step {
    detail::host_loops loops;
    ir::scalar_bits identity;
    std::size_t element_size = 0;
    bool exclusive = false;
    std::size_t carry_at = 0;  ///< offset of its carries in a task's carry_bytes
};

struct loop_plan {
    section body;
    std::vector<expansion> expansions;
    std::vector<fold_step> folds;
    std::vector<scan_step> scans;
    std::vector<int> kept;  ///< slots of earlier loops that it reads
    bool backwards = false;
    bool columns = false;  ///< a block is one inner element of all the tile's groups, else a run of inner elements
    std::int64_t trips = 0;
    std::int64_t block_groups = 1, block_trips = 1;
    std::int64_t leaf_blocks = 1;     ///< blocks folded in sequence; their results are folded pairwise
    bool computes = true;             ///< its body runs; else all folds are in place
    std::int64_t groups_at_once = 0;  ///< whose blocks run, or are folded in place, together; tile or block_groups
    std::int64_t blocks_at_once = 1;  ///< of inner elements, for folds in place; divides leaf_blocks
    bool body_at_once = false;        ///< its body runs on as many blocks at once: it is one fused loop
    std::int64_t chunk = 0;           ///< split tiles: inner elements per task, a multiple of block_trips
};

struct constant_fill {
    int slot = -1;
    int scalar = -1;        ///< a scalar argument, or -1: `value`
    ir::scalar_bits value;  ///< what the kernel's 64 bits do not reach is 0
};

/// A parameter of a fused loop's function: where it reads or writes. In order.
struct fused_pointer {
    enum class kind : std::uint8_t {
        input,
        output,
        slot,    ///< a dense block, or one element if uniform
        groups,  ///< one element per group of the block
        result,  ///< a dense block that it writes
        fold     ///< the results of a fold, one per group of the block
    };
    kind what{};
    int of = -1;             ///< an input, an output, a slot or a fold
    std::int64_t start = 0;  ///< offset in bytes

    bool operator==(const fused_pointer&) const = default;
};

/// The compiled form of a fused loop: one pass over a block. `numbers`: the extents and strides that are not literals.
using fused_function = void (*)(void* const* pointers, const std::int64_t* numbers, std::int64_t group,
                                std::int64_t groups, std::int64_t trip, std::int64_t trips);

/// Several steps as one loop, which keeps values in registers. It is C++ source until it is compiled at run time.
struct fused_loop {
    std::string body;  ///< of its function
    std::vector<fused_pointer> pointers;
    std::vector<std::int64_t> numbers;
    std::vector<int> operands, results;  ///< slots
    fused_function run = nullptr;
};
inline constexpr std::size_t max_fused_pointers = 48;

struct plan {
    std::uint64_t number = 0;  ///< unique among plans; assigned by the runtime
    std::size_t scalars = 0;   ///< number of scalar arguments
    std::vector<slot> slots;   ///< the kernel's values first
    std::vector<access> loads;
    std::vector<access> indices;  ///< with element size 1, so that offsets are indices
    std::vector<constant_fill> fills;
    std::vector<fused_loop> fused;  ///< empty unless steps are fused
    section uniform;                ///< what depends on constants and scalars alone
    std::vector<section> stages;    ///< one more than loops
    std::vector<loop_plan> loops;
    std::vector<int> lasting;  ///< slots whose address is known before a step fills them

    std::int64_t groups = 0;
    std::int64_t block_size = 0;  ///< elements per buffer
    std::size_t buffer_bytes = 0;
    std::array<int, pool_count> buffers{};
    std::int64_t tile = 0;  ///< groups per tile; tiles do not straddle multiples of `span`
    std::int64_t span = 0;
    std::int64_t tiles_per_span = 0, tiles = 0;
    std::int64_t grain = 1;             ///< tiles per task, at least
    bool streams = false;               ///< some store does
    bool split = false;                 ///< few tiles with long loops: the loops' elements are divided among tasks, too
    std::size_t level_bytes = 0;        ///< partial results per task: levels of a binary counter
    std::size_t carry_bytes = 0;        ///< carries per task
    std::int64_t kept_bytes = 0;        ///< kept per tile for later loops
    std::int64_t uniform_elements = 0;  ///< copies of each uniform value
    std::size_t uniform_bytes = 0;      ///< of these copies and the table of their addresses
    std::size_t frame_bytes = 0;        ///< per thread, to run tiles

    std::optional<move_plan> move;  ///< instead of stages and loops; tile t is box t

    std::vector<plan> regions;   ///< plans that make up this one, which then has no steps of its own
    std::int64_t parts = 0;      ///< number of parts; part i runs the i-th share of each region's tiles
    std::size_t uniform_at = 0;  ///< of a region: offset of its uniform_bytes

    block tile_at(std::int64_t t) const {
        const std::int64_t within = t % tiles_per_span * tile;
        return {t / tiles_per_span * span + within, tile < span - within ? tile : span - within, 0, 1};
    }
};

plan make_plan(const loop_nest& k, instruction_set isa);

/// A plan of fused loops and their C++ source. It can run once the functions named by function_names (fuse.hpp) are
/// linked in. It uses the same blocks as the plan without fused loops and gives the same bits.
struct fused_plan {
    plan body;
    std::string source;
};
/// Empty if no loop would pay.
std::optional<fused_plan> make_fused_plan(const loop_nest& k, instruction_set isa);

/// Fuses pairs of steps into one where that saves a pass over the block.
void fuse_pairs(plan& p, instruction_set isa);

/// Lets folds of what is only loaded read the array where it lies: columns several rows at a time, and rows that are
/// made up of several runs one run after the other.
void fold_in_place(plan& p, instruction_set isa);

/// Alignment of buffers and partial results in bytes: a cache line.
inline constexpr std::int64_t alignment = 64;

/// Bytes of values per buffer: three or four buffers fit an L1 cache.
inline constexpr std::size_t buffer_size = 8 * 1024;

/// The first step of planning: divides groups into tiles, and loops into blocks. The slots' types are known. `fuses`:
/// steps become compiled loops.
void choose_blocks(plan& p, const loop_nest& k, bool fuses);

/// The last step of planning: assigns buffers to slots, and offsets to partial results and carries.
void assign_buffers(plan& p);

}  // namespace sinter::codegen::blocked
