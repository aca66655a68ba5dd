// Expressions of a device program as CUDA C++.
#pragma once

#include <codegen/cuda/types.hpp>
#include <codegen/device/program.hpp>

#include <compare>
#include <set>
#include <string>

namespace sinter::codegen::cuda_source {

/// Functions that printed expressions and statements may call: library.hpp writes them.
enum class library_function : std::uint8_t {
    quotient,
    read_once,
    realign,
    widen,
    widen_to_halves,
    results,
    blocks_barrier,
    cluster,
    multiply_float16,
    multiply_bfloat16,
    load_matrix,
    load_matrix_transposed,
    async_copy,
    matrix_descriptor,
    fence_shared,
    phase_barriers,
    boxes,
    begin_products,
    wait_products
};

/// The instruction of a product of a warpgroup.
struct warpgroup_product {
    dtype type{}, left_type{};    ///< of the right and the left factor
    int fragments = 1;            ///< of 16 columns
    bool left_in_shared = false;  ///< else in registers
    auto operator<=>(const warpgroup_product&) const = default;
};

/// Precedence of operators, as in C++.
enum class binding : std::uint8_t { any, both, equal, relation, shift, sum, product, cast, postfix };

class expressions {
public:
    explicit expressions(const device_ir::program& of) : p(of) {}

    /// In parentheses if its operator binds less tightly than `within`.
    std::string text(device_ir::id e, binding within = binding::any);
    /// A pointer to an element in global memory.
    std::string address(const device_ir::expression& element);
    /// A pointer to an element in shared memory.
    std::string shared_address(const device_ir::expression& element);
    std::string array_name(device_ir::id a) const { return p.array_at(a).name; }
    std::string variable_name(device_ir::id v) const { return p.variable_at(v).name; }
    /// An element as the left side of an assignment, and what is assigned to it.
    std::string target(device_ir::id e);
    std::string assigned(device_ir::id target, device_ir::id value);
    /// Sets one element of those that are kept in words; empty for other targets.
    std::string set_in_words(device_ir::id target, device_ir::id value);
    void use(library_function f) { used.insert(f); }

    types names;
    std::set<library_function> used;
    std::set<warpgroup_product> products;
    std::set<int> box_axes;  ///< of the arrays that boxes are copied from

private:
    std::string integer(const device_ir::expression& e) const;
    std::string arithmetic(const device_ir::expression& e, binding within);
    std::string wrapping_operand(device_ir::id e);
    std::string operation(const device_ir::expression& e);
    std::string cast(const device_ir::expression& e);
    std::string identity(const device_ir::expression& e);
    std::string element(const device_ir::expression& e);
    std::string neighbours(const device_ir::expression& e, const std::string& type);
    std::string local_element(const device_ir::expression& e);
    bool is_reinterpreted(const device_ir::expression& e) const;
    std::string position(const device_ir::expression& e);
    std::string call(const device_ir::expression& e);
    std::string exchange(const device_ir::expression& e);

    const device_ir::program& p;
};

}  // namespace sinter::codegen::cuda_source
