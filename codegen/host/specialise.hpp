// Specialises a kernel for a box of its outer indices: masks that are constant there are resolved, and indices that are
// affine there become strides.
#pragma once

#include <codegen/host/index_form.hpp>
#include <codegen/host/index_pieces.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::blocked {

/// A box of a kernel's outer indices, with the computation to run there.
struct region {
    loop_nest body;                          ///< with the region's extents
    std::vector<std::int64_t> value_starts;  ///< by value: start of a load or an index, in elements
    std::vector<std::int64_t> store_starts;  ///< likewise by store
};

/// The whole of a kernel.
region whole_of(const loop_nest& k);

/// Values known as pieces. By value: the axis along which it varies, or -1; and its pieces.
struct piecewise {
    std::vector<int> axis;
    std::vector<std::vector<piece>> pieces;
};

/// A box. By axis: the first index and the number of indices.
struct box {
    std::vector<std::int64_t> begin, extents;
};

/// The computation of a kernel in a box of its outer indices, within which no piecewise value changes its piece.
region specialise(const loop_nest& k, const std::vector<char>& decided, const piecewise& known, const box& where,
                  instruction_set isa);

/// The affine forms, valid in all of `where`, of the decided values that have one.
std::vector<std::optional<index_form>> find_forms(const loop_nest& k, const std::vector<char>& decided,
                                                  const piecewise& known, const box& where, instruction_set isa);

}  // namespace sinter::codegen::blocked
