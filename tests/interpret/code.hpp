// A device program resolved for execution: names are resolved, operations are loops over a warp's lanes, and every
// value, array and register has an offset in a warp's memory.
#pragma once

#include <tests/interpret/index_loops.hpp>
#include <tests/interpret/lanes.hpp>

#include <codegen/device/program.hpp>
#include <sinter/op/row.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sinter::interpret {

namespace device_ir = codegen::device_ir;

enum class node_kind : std::uint8_t {
    constant,
    variable,
    index,  ///< of index arithmetic: `index`
    quotient,
    both,    ///< in[1] where in[0]
    select,  ///< in[0] ? in[1] : in[2]
    negation,
    map,     ///< a row or a conversion: `map`
    fold,    ///< of elements into a struct of moments or sums: `fold`
    global,  ///< an element of global memory, `position` elements after the start of array `of`
    shared,  ///< an element of shared memory, at `indices`
    registers,
    peer,  ///< in[1], in the shared memory of block in[0] of the cluster
    call,
    exchange
};

/// One expression. Its value is `count` dense arrays of 32 lanes.
struct node {
    node_kind kind{};
    dtype type{};
    std::size_t size = 0;  ///< of an element
    int count = 1;
    std::array<int, 3> in{-1, -1, -1};
    int of = -1;  ///< variable, array or function
    index_loop index = nullptr;
    detail::map_loop map = nullptr;
    detail::fold_loop fold = nullptr;
    bool may_trap = false;  ///< map: an integer division, which must skip inactive lanes, whose divisors may be 0
    dtype index_type{};     ///< of the operands of index arithmetic
    int position = -1;      ///< global: the node of the distance; -1: none. registers: the index, where it is known
    std::vector<int> indices;
    std::vector<int> arguments;
    device_ir::exchange_pattern pattern{};
    int width = warp_lanes;
    std::vector<char> constant;
    std::size_t scratch = 0;  ///< offset of its value
};

/// The offset of a variable or a register array in a warp's memory, and of its "has a value" flags among the warp's.
struct place {
    std::size_t bytes = 0;
    std::size_t flags = 0;
};

struct array_code {
    std::string name;
    device_ir::space where{};
    dtype type{};
    std::size_t size = 0;
    std::vector<int> extents;
    int packed = 1;
    int elements = 1;  ///< packed ones counted each
    bool read_only = false;
    bool swizzled = false;
    place registers;
    std::size_t shared_bytes = 0;  ///< where it begins in the block's shared memory,
    std::size_t shared_units = 0;  ///< and among all elements there
};

/// One statement. Nodes are -1 where there is none.
struct step {
    device_ir::statement_kind kind{};
    const device_ir::statement* from = nullptr;
    int of = -1, target = -1, value = -1, limit = -1, advance = -1;
    std::vector<int> places;   ///< tensor_map, copy_box: of the map `of`, the extents or the first indices of a box
    std::vector<int> strides;  ///< tensor_map: along all axes but the first, which is contiguous
    bool cleared = false;
    int count = 1;
    device_ir::barrier_scope scope{};
    std::vector<step> body, otherwise;
};

struct function_code {
    std::vector<device_ir::function_parameter> parameters;
    std::vector<step> body;
    int value = -1;
};

struct parameter_code {
    bool is_pointer = false, is_output = false;
    int of = -1;  ///< array or variable
    std::size_t bytes = 0;
};

class code {
public:
    /// Null if an operation of the program is text that only a compiler understands.
    static std::shared_ptr<const code> of(std::shared_ptr<const device_ir::program> program, std::string heading);

    /// A statement as the kernel's source has it.
    std::string words(const device_ir::statement& s) const;

    std::shared_ptr<const device_ir::program> program;
    std::string heading;
    std::vector<node> nodes;
    std::vector<array_code> arrays;
    std::vector<place> variables;  ///< the program's, and those below
    std::vector<std::size_t> variable_bytes;
    int thread = -1, block = -1, grid = -1;  ///< variables
    std::vector<function_code> functions;
    std::vector<parameter_code> parameters;
    std::vector<step> body;
    std::size_t warp_bytes = 0, warp_flags = 0;
    std::size_t uniform_bytes = 0, uniform_flags = 0;  ///< at the front: the initial state of all warps
    std::size_t shared_bytes = 0, shared_units = 0;
    std::size_t scratch_bytes = 0;
    bool waits = false;         ///< some statement waits for other warps
    bool waits_blocks = false;  ///< or for other blocks
};

}  // namespace sinter::interpret
