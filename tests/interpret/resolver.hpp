// Converts a program to the form of code.hpp.
#pragma once

#include <tests/interpret/code.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace sinter::interpret {

class resolver {
public:
    /// Thrown for an operation that only a compiler knows.
    struct unknown_row {};

    explicit resolver(code& made) : c(made), p(*made.program), of_expression_(p.expressions.size(), -1) {}

    void resolve();

private:
    // resolve.cpp
    place take(std::size_t size, int elements);
    void place_variables();
    void place_arrays();
    std::vector<step> steps(const std::vector<device_ir::statement>& all);
    step one(const device_ir::statement& s);
    void resolve_boxes(const device_ir::statement& s, step& made);
    void convert(const device_ir::statement& s, step& made);
    void convert_loop(const device_ir::statement& s, step& made, dtype type);

    // resolve_expressions.cpp
    int add(node n);
    const node& at(int n) const { return c.nodes[static_cast<std::size_t>(n)]; }
    int constant(dtype type, const void* value);
    int variable(int v, dtype type);
    int converted(int from, dtype type);
    int expression(device_ir::id e);
    int make(const device_ir::expression& e);
    int integer(const device_ir::expression& e);
    int identity(const device_ir::expression& e);
    int arithmetic(const device_ir::expression& e);
    int index(device_ir::arithmetic_kind how, int a, int b);
    int quotient(const device_ir::expression& e);
    int operation(const device_ir::expression& e);
    int element(const device_ir::expression& e);
    /// Where all indices are literals and within their extents, the element's; else -1.
    int known_index(const array_code& a, const node& n) const;
    int position(const device_ir::expression& e);
    int from_elsewhere(const device_ir::expression& e);
    int call(const device_ir::expression& e);

    code& c;
    const device_ir::program& p;
    std::vector<int> of_expression_;
};

}  // namespace sinter::interpret
