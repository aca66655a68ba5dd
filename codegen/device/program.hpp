// The device program: what each thread of a kernel does, as statements with structured control flow. A schedule is
// lowered to it (codegen/lower); codegen/cuda prints it, verify.hpp checks it, tests interpret it.
//
// Scalars are named once and keep their value, apart from accumulators and loop counters, which are declared as
// variables. Arrays lie in global memory, in shared memory or in a thread's registers. An element of an array in global
// memory has an index for each axis of the loop nest; the indices are flattened by the array's strides when they are
// printed. An access may move `count` neighbouring elements between global memory and registers; nothing computes with
// more than one element.
#pragma once

#include <codegen/device/parameter.hpp>
#include <codegen/ir/kernel.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

/// A position in one of a program's tables.
using id = int;
inline constexpr id none = -1;

// ---- declarations ----

enum class space : std::uint8_t {
    global,    ///< of the arrays: a parameter, or a part of one
    shared,    ///< of a block
    registers  ///< of a thread, with indices that are known when loops are unrolled
};

struct array {
    std::string name;
    space where = space::registers;
    dtype type{};
    std::vector<int> extents;  ///< of shared memory and registers; none: one element
    int packed = 1;            ///< so many neighbours along a further, last axis, which one access moves
    int alignment = 0;         ///< bytes, where it is more than the elements have
    bool read_only = false;    ///< global
    bool may_alias = false;    ///< global: another parameter may have elements of it
    bool is_index = false;     ///< its elements are counters, or bytes
    bool is_result = false;    ///< global: its elements are what publish leaves and await waits for
};

struct variable {
    std::string name;
    dtype type{};
    bool is_index = false;  ///< a position or a count: index arithmetic made it
    bool is_constant = true;
};

// ---- expressions ----

enum class expression_kind : std::uint8_t {
    integer,     ///< `value`: of index arithmetic
    literal,     ///< `value` and `more`: bytes of a number of `type`
    identity,    ///< that of the reduction `op` in `type`
    variable,    ///< `of` in variables
    thread,      ///< the thread's number in its block
    block,       ///< the block's number in the grid
    grid,        ///< how many blocks there are
    arithmetic,  ///< `how` of in[0], in[1]; select: in[0] ? in[1] : in[2]
    quotient,    ///< in[0] / extent by multiplication: in[1] is the multiplier, in[2] the shift
    operation,   ///< `op` of `in`, computed in the dtype `computes`
    cast,        ///< in[0] in `type`
    element,     ///< an element of array `of`, or `count` neighbours
    peer,        ///< the element of the block in[0] of this cluster that in[1], of this block, corresponds to
    call,        ///< the value of function `of` for `arguments`
    exchange     ///< in[0] of another lane of the warp: `pattern`, in[1]
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
    negation,    ///< of a condition, in[0]
    shift_right  ///< of the bits of in[0]
};

/// From which lane an exchange takes a value, among `width` neighbouring lanes.
enum class exchange_pattern : std::uint8_t {
    butterfly,  ///< the own one XOR in[1]
    up,         ///< in[1] lanes below the own one; the own one's value where there is none
    broadcast   ///< lane in[1]
};

enum class cache_hint : std::uint8_t { usual, evict_first };

/// One summand of a position in an array: an index times a stride.
struct term {
    int axis = -1;     ///< of the loop nest, -1: none
    id index = none;   ///< expression
    id stride = none;  ///< expression; none: neighbours
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
    std::int64_t shift = 0;     ///< element of global memory: this much further
    std::vector<id> arguments;  ///< call
};

// ---- statements ----

enum class statement_kind : std::uint8_t {
    comment,
    blank,
    let,      ///< declares variable `of` with `value`, or without one
    declare,  ///< array `of` of shared memory or registers; `cleared`: zeros
    view,     ///< array `of` of global memory: `target`, an element of another array, and what lies behind it
    carve,    ///< array `of` of global memory: of the bytes of array `target` from byte `value` on, at `offset`
    assign,   ///< `target`, a variable or an element, becomes `value`; count elements of it
    call,     ///< of a function without a value
    branch,   ///< `body` where `value` is true, else `otherwise`
    loop,     ///< of variable `of` from `value` while `limit` holds, by `step`
    scope,    ///< `body` in a scope of its own
    barrier,  ///< of `scope`
    fence,    ///< what was written before is visible to the device before what is written after
    leave,    ///< the thread is done
    ticket,   ///< declares variable `of`: what `target` was before `value` was added to it, atomically
    opaque,   ///< the compiler knows nothing of variable `of` any more
    publish,  ///< leaves `value` for other blocks at `target`, with the launch's number `limit`
    await     ///< waits until `count` values of the launch `limit` are at `target`, `step` words apart: into `of`
};

enum class barrier_scope : std::uint8_t {
    block,
    cluster,
    blocks  ///< `target`: the counter; `value`, `limit`: this block's number among so many
};

struct statement {
    statement_kind kind{};
    id of = none;
    id target = none, value = none, limit = none, step = none;
    int unroll = -1;  ///< loop: 0 all, 1 not at all, n so many, -1 as the compiler likes
    int factor = 0;   ///< loop: the step is a division by it (or, negated, a multiplication)
    barrier_scope scope{};
    bool cleared = false;
    int count = 1;
    std::string text;  ///< comment, or the note at the end of the line
    std::vector<statement> body, otherwise;
};

// ---- programs ----

/// What a function takes: a value, a variable that it changes, or a pointer into an array.
struct function_parameter {
    enum class passed : std::uint8_t { value, reference, pointer };
    passed how{};
    id of = none;  ///< variable, or array
};

/// What the launch passes.
struct kernel_parameter {
    parameter what;
    id of = none;  ///< array for outputs, inputs and the workspace, else variable
};

/// A function of one element. It reads its parameters and nothing else.
struct function {
    std::string name, comment;
    bool folds = false;  ///< two values of a reduction into one
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
    int blocks_per_multiprocessor = 0;  ///< 0: any number
    int cluster = 1;
    bool wide_index = false;  ///< positions have 64 bits

    const expression& at(id e) const { return expressions[static_cast<std::size_t>(e)]; }
    const array& array_at(id a) const { return arrays[static_cast<std::size_t>(a)]; }
    const variable& variable_at(id v) const { return variables[static_cast<std::size_t>(v)]; }
    const function& function_at(id f) const { return functions[static_cast<std::size_t>(f)]; }
};

}  // namespace sinter::codegen::device_ir
