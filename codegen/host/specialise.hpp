// A kernel on a box of its outer indices: masks that do not change there choose once, and indices that are affine there
// become strides.
#pragma once

#include <codegen/host/index_form.hpp>
#include <codegen/host/index_pieces.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::blocked {

/// A part of a kernel's outer indices, with what is to be computed there.
struct region {
    kernel body;                             ///< its extents are the region's
    std::vector<std::int64_t> value_starts;  ///< of each value: where a load or an index begins, in elements
    std::vector<std::int64_t> store_starts;  ///< of each store likewise
};

/// The whole of a kernel.
region whole_of(const kernel& k);

/// The values that are known by pieces: for each one the axis along which it varies, or -1, and the pieces.
struct piecewise {
    std::vector<int> axis;
    std::vector<std::vector<piece>> pieces;
};

/// A box: of each axis the first index and the number of indices.
struct box {
    std::vector<std::int64_t> begin, extents;
};

/// What an elementwise kernel computes in a box in which no piecewise value begins another piece.
region specialise(const kernel& k, const std::vector<char>& decided, const piecewise& known, const box& where,
                  instruction_set isa);

/// The values of a kernel that are affine in its indices all over `where`, and how.
std::vector<std::optional<index_form>> find_forms(const kernel& k, const std::vector<char>& decided,
                                                  const piecewise& known, const box& where, instruction_set isa);

}  // namespace sinter::codegen::blocked
