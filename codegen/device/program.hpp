// The device program: what each thread of a kernel does, as statements with structured control flow. Schedules are
// lowered to it (codegen/lower); codegen/cuda prints it, codegen/verify checks it, tests interpret it.
//
// Scalars are named once and never change, except accumulators and loop counters, which are declared as variables.
// Arrays are in global memory, shared memory or registers. An element of global memory has an index per axis of the
// loop nest; printing flattens the indices by the array's strides. An access may move `count` neighbouring elements
// between global memory and registers; computations use single elements only.
//
// Matrix multiply-accumulate is a warp operation: its lanes share a fragment of 16 x 16 elements, 8 of them in the
// registers of each lane. Element e of lane l is in row l / 4 + 8 * (e / 2 % 2) and column
// l % 4 * 2 + e % 2 + 8 * (e / 4), the layout of mma.m16n8k16's operands and accumulators (PTX ISA, Matrix Fragments
// for mma.m16n8k16). In a right factor the two eights are exchanged: row l / 4 + 8 * (e / 4), column
// l % 4 * 2 + e % 2 + 8 * (e / 2 % 2). Each half of its registers is then one instruction's operand, which must be
// consecutive registers: in the other order each instruction takes two moves.
//
// Products of warpgroups (wgmma, only on compute capability 9.0) are asynchronous. A group of four warps, the first of
// them divisible by four, multiplies 64 rows by a right factor in shared memory; each warp has the sums of 16 of the
// rows, as a row of fragments. Products come in batches: begin_products, multiply_warpgroup..., commit_products,
// wait_products. In between, no other statement may use the sums or the left factors in registers. Factors in shared
// memory are swizzled arrays, and threads that wrote them execute fence_shared before the barrier after which products
// read them.
//
// Phase barriers (mbarrier, on compute capability 9.0 and newer) order some warps of a block with others, and with
// copies of boxes (TMA). A phase ends when as many threads as init_barriers said have arrived, and all bytes that they
// expect have been copied; then the next one begins. Phases are numbered from 0: a thread waits for the end of an even
// one by parity 0, of an odd one by parity 1. A thread that waits by parity 1 before any phase has ended goes on.
#pragma once

#include <codegen/device/parameter.hpp>
#include <codegen/ir/loop_nest.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

/// An index into one of a program's tables.
using id = int;
inline constexpr id none = -1;

// ---- declarations ----

enum class space : std::uint8_t {
    global,    ///< a parameter, or a part of one
    shared,    ///< of a block
    registers  ///< of a thread; indices must be constant after unrolling
};

struct array {
    std::string name;
    space where = space::registers;
    dtype type{};
    std::vector<int> extents;  ///< shared memory and registers; empty: one element
    int packed = 1;            ///< neighbours along an additional last axis, moved by one access
    bool words = false;        ///< registers, packed neighbours of one or two bytes: kept as words of four bytes
    bool swizzled = false;     ///< shared memory: lines of 128 bytes; part p of 16 bytes of line l is stored at
                               ///< p XOR l % 8, so that accesses of 8 lines use all banks
    bool is_barrier = false;   ///< shared memory: phase barriers, each in 8 bytes
    int alignment = 0;         ///< bytes, if more than the element type's
    bool read_only = false;    ///< global
    bool may_alias = false;    ///< global: another parameter may refer to its elements
    bool is_index = false;     ///< its elements are counters or bytes
    bool is_result = false;    ///< global: its elements are written by publish and read by await
};

struct variable {
    std::string name;
    dtype type{};
    bool is_index = false;  ///< an index or a count, made by index arithmetic
    bool is_constant = true;
};

// ---- expressions ----

enum class expression_kind : std::uint8_t {
    integer,     ///< `value`, in index arithmetic
    literal,     ///< `value` and `more`: the bytes of a number of `type`
    identity,    ///< identity of the reduction `op` in `type`
    variable,    ///< `of` is an index into variables
    thread,      ///< index of the thread in its block
    block,       ///< index of the block in the grid
    grid,        ///< number of blocks
    arithmetic,  ///< `how` of in[0], in[1]; select: in[0] ? in[1] : in[2]
    quotient,    ///< in[0] / extent by multiplication: in[1] is the multiplier, in[2] the shift
    operation,   ///< `op` of `in`, computed in the dtype `computes`
    cast,        ///< in[0] converted to `type`
    element,     ///< an element of array `of`, or `count` neighbours
    peer,        ///< element in[1] of shared memory, but of block in[0] of this cluster
    call,        ///< value of function `of` for `arguments`
    exchange     ///< value of in[0] in another lane of the warp: `pattern`, in[1]
};

enum class arithmetic_kind : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    remainder,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    both,
    select,
    negation,    ///< of a condition: !in[0]
    shift_right  ///< in[0] >> in[1]
};

/// The source lane of an exchange, among `width` neighbouring lanes.
enum class exchange_pattern : std::uint8_t {
    butterfly,  ///< own lane XOR in[1]
    up,         ///< own lane minus in[1]; the own lane if there is none
    broadcast   ///< lane in[1]
};

enum class cache_hint : std::uint8_t { usual, evict_first };

/// A summand of an array offset: an index times a stride.
struct term {
    int axis = -1;     ///< of the loop nest; -1: none
    id index = none;   ///< expression
    id stride = none;  ///< expression; none: 1, along the contiguous axis
};

struct expression {
    expression_kind kind{};
    dtype type{};
    bool is_index = false;
    arithmetic_kind how{};
    exchange_pattern pattern{};
    cache_hint hint = cache_hint::usual;
    const op_row* op = nullptr;
    dtype computes{};
    std::array<id, 3> in{none, none, none};
    id of = none;
    std::uint64_t value = 0, more = 0;
    int width = 32;             ///< exchange
    int count = 1;              ///< element
    std::vector<term> terms;    ///< element of global memory
    std::vector<id> indices;    ///< element of shared memory or registers
    std::int64_t shift = 0;     ///< element of global memory: constant offset
    std::vector<id> arguments;  ///< call
};

// ---- statements ----

enum class statement_kind : std::uint8_t {
    comment,
    blank,
    let,      ///< declares variable `of`, with `value` if given
    declare,  ///< declares array `of` in shared memory or registers; `cleared`: zeroed
    view,     ///< declares array `of`: global memory from `target`, an element of another array
    carve,    ///< declares array `of`: the bytes of array `target` from byte `value`, plus `limit` elements
    assign,   ///< sets `target`, a variable or an element (or `count` elements), to `value`
    call,     ///< calls a function that returns no value
    branch,   ///< `body` if `value` is true, otherwise `otherwise`
    loop,     ///< variable `of` from `value` while `limit` holds, by `step`
    scope,    ///< `body` in a scope of its own
    barrier,  ///< over the threads of `scope`
    fence,    ///< earlier writes become visible to the device before later ones
    leave,    ///< ends the thread if `value` holds
    realign,  ///< sets `target`, packed neighbours in registers, to as many neighbours from number `limit` on of two
              ///< such vectors in registers: `value` is the first, the second follows along the array's last extent
    widen,   ///< sets `target`, 8 neighbours of float32 in registers, to as many of int8 or uint8 in words, `value`; or
             ///< 8 of float16, times `limit`, as many of float16, if given
    ticket,  ///< declares variable `of` as the value of `target` before the atomic addition of `value`
    opaque,  ///< hides the value of variable `of` from the compiler's optimizer
    publish,  ///< writes `value` to `target` for other blocks, tagged with the launch number `limit`
    await,    ///< waits for `count` values of launch `limit` at `target`, `step` words apart; stores them in `value`
    multiply_accumulate,  ///< fragment `target` (float32) += `value` * transpose(right factor `limit`), fragments of a
                          ///< half type. Executed by all lanes of a warp
    load_matrix,    ///< loads fragment `target`, four matrices of 8 x 8 elements of shared memory, as elements 2m and
                    ///< 2m + 1 of each lane. Lane l provides, as `value`, the 8 neighbours of row l % 8 of matrix
                    ///< l / 8 or, `transposed`, of its column. Executed by all lanes of a warp
    async_copy,     ///< copies 4, 8 or 16 bytes from `value` in global memory to `target` in shared memory; zeros where
                    ///< `limit` is false. Completed by wait_copies
    commit_copies,  ///< makes a group of each thread's copies since the last commit. Executed by all lanes
    wait_copies,    ///< waits until only the latest `count` groups are in flight. Executed by all lanes
    fence_shared,   ///< earlier accesses of a thread to shared memory come before products that read it
    set_registers,  ///< leaves each thread of a warpgroup `count` registers of the multiprocessor's
    init_barriers,  ///< phase barriers from `target` on, all of the array: each phase takes `count` arrivals. By all
                    ///< threads of the block, before a barrier of the block
    arrive,         ///< at phase barrier `target`; the phase then expects `count` more bytes
    wait_phase,     ///< waits for the end of a phase of barrier `target`, whose number has parity `value`
    tensor_map,     ///< writes to 128 bytes of global memory how copies find boxes in an array from element `value`
                    ///< on, of 1 or 2 bytes, whose first term is contiguous. `target`: an element of the map, whose
                    ///< terms are the extents along the terms of `value`. A box has `count` lines, along the second
                    ///< one. Executed by all lanes of a warp
    copy_box,  ///< copies a box to `target`, the first element of a panel of a swizzled array: its lines are as many
               ///< as the box's, of 128 bytes. `value`: an element of the map, whose terms are the box's first
               ///< neighbour and line, and its index along each further term. Zeros beyond the ends. The thread has
               ///< arrived at phase barrier `limit`, at which the bytes are expected
    begin_products,  ///< earlier writes of registers come before products: sums `target` and left factors `value`, the
                     ///< first elements of arrays, if given. This and the next three: by all threads of a warpgroup
    multiply_warpgroup,  ///< sums of 16 steps of halves, or 32 of float8 numbers, of which the two factors may have
                         ///< different types: `count` fragments from `target` on += `value` * right factor `limit`.
                         ///< `value`: a fragment, or the first element of 64 rows in shared memory (`transposed_left`:
                         ///< whose lines go along the steps). `limit`: the first element of 16 * count columns
                         ///< (`transposed`: whose lines go along the steps, as those of float8 numbers do not). Where
                         ///< `step` is given and false the sums begin at 0. Sums of float8 numbers keep 14 bits
    commit_products,     ///< ends a batch of products
    wait_products        ///< waits until only the latest `count` batches are in flight; `target`: the first of the
                         ///< sums, of which later statements may use those of batches that have ended
};

inline constexpr int fragment_rows = 16, fragment_elements = 8;  ///< rows of a fragment, its elements per lane
inline constexpr int warpgroup_threads = 128, warpgroup_rows = 64;
inline constexpr int swizzled_elements = 64;  ///< of a half type in a line of a swizzled array
constexpr int swizzled_elements_of(dtype type) { return 128 / static_cast<int>(size_of(type)); }
constexpr int steps_of_product(dtype type) { return 32 / static_cast<int>(size_of(type)); }  ///< of a warpgroup
inline constexpr std::size_t max_box_axes = 5;  ///< of an array that boxes are copied from

enum class barrier_scope : std::uint8_t {
    block,
    threads,  ///< the first `count` threads of the block
    cluster,
    blocks  ///< `target`: the counter; `value`, `limit`: this block's index and the number of blocks
};

struct statement {
    statement_kind kind{};
    id of = none;
    id target = none, value = none, limit = none, step = none;
    int unroll = -1;  ///< loop: 0: fully, 1: not, n: n times, -1: the compiler decides
    int factor = 0;   ///< loop: n: divide the counter by n; -n: multiply it by n
    barrier_scope scope{};
    bool cleared = false;
    bool transposed = false, transposed_left = false;
    int count = 1;
    std::string text;  ///< of a comment, or of the note at the end of the line
    std::vector<statement> body, otherwise;
};

// ---- programs ----

/// A parameter of a function: a value, a variable that it changes, or a pointer into an array.
struct function_parameter {
    enum class passed : std::uint8_t { value, reference, pointer };
    passed how{};
    id of = none;  ///< index into variables, or into arrays
};

/// A parameter of the kernel.
struct kernel_parameter {
    parameter what;
    id of = none;  ///< array for outputs, inputs and the workspace, otherwise variable
};

/// A function of one element. It reads only its parameters.
struct function {
    std::string name, comment;
    bool folds = false;  ///< combines two values of a reduction
    bool has_value = false;
    dtype type{};
    std::vector<function_parameter> parameters;
    std::vector<statement> body;
    id value = none;
};

struct program {
    std::string name = "sinter_kernel";  ///< an identifier
    std::vector<array> arrays;
    std::vector<variable> variables;
    std::vector<expression> expressions;
    std::vector<function> functions;
    std::vector<kernel_parameter> parameters;
    std::vector<statement> body;
    arithmetic precision = arithmetic::exact;
    int block_threads = 256;
    int blocks_per_multiprocessor = 0;  ///< minimum number of resident blocks; 0: unspecified
    int cluster = 1;
    bool wide_index = false;  ///< indices are 64 bits wide
    id result = none;         ///< element functions: the variable that is returned; none: elements are stored

    const expression& at(id e) const { return expressions[static_cast<std::size_t>(e)]; }
    const array& array_at(id a) const { return arrays[static_cast<std::size_t>(a)]; }
    const variable& variable_at(id v) const { return variables[static_cast<std::size_t>(v)]; }
    const function& function_at(id f) const { return functions[static_cast<std::size_t>(f)]; }
};

}  // namespace sinter::codegen::device_ir
