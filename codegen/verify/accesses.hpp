// Checks the indices of one access.
#pragma once

#include <codegen/verify/positions.hpp>
#include <codegen/verify/unrolled.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

class access_checker {
public:
    access_checker(const program& of, const launch_promises& given, symbol_table& table, prover& with, positions& where)
        : p(of), promises(given), symbols(table), prove(with), at(where), unrolled(of), views_(of.arrays.size()) {}

    /// Checks all elements that an expression of the statement accesses.
    void check(id expression, const statement& s);
    /// Checks the elements that a tensor map describes.
    void check_box(const statement& s);
    /// Records the declaration of a view: where its elements begin.
    void view(const statement& s);

private:
    /// An offset along an axis, in units of one stride.
    struct distance {
        int axis = -1;
        id stride = none;
        linear_form index;
    };
    /// The position of an element in an array passed by the launch.
    struct position {
        id of = none;            ///< none: in memory whose extents are not axes
        bool is_gather = false;  ///< an index is a value that the kernel computes
        std::vector<distance> along;
        std::int64_t shift = 0;
    };

    position position_of(const expression& e);
    void check_global(const expression& e, const statement& s);
    void check_local(const expression& e, const statement& s);
    void check_index(id index, std::int64_t last, const expression& e, const statement& s);
    bool is_within(const linear_form& index, const linear_form& last);
    void report(id of, const statement& s, const std::string& what);

    const program& p;
    const launch_promises& promises;
    symbol_table& symbols;
    prover& prove;
    positions& at;

public:
    unrolled_loops unrolled;
    std::vector<std::string> unproved;

private:
    std::vector<position> views_;  ///< per array
};

}  // namespace sinter::codegen::device_ir
