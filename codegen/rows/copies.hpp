// Copies of planes of elements between any two strides, for one instruction set each.
#pragma once

#include <codegen/rows/dispatch.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

/// Strides in bytes: between groups and between inner elements.
struct pitch {
    std::int64_t group, trip;
};

/// Copies groups x trips elements between arrays that do not overlap.
using plane_copy = void (*)(std::byte* to, pitch t, const std::byte* from, pitch f, std::int64_t groups,
                            std::int64_t trips);

/// The copy of elements of this size: 1, 2, 4, 8, 16 or 32 bytes.
plane_copy plane_copy_of(std::size_t element_size, instruction_set isa = instruction_set::baseline);

// Defined by copies.cpp, once per instruction set.
plane_copy plane_copy_loop_baseline(std::size_t element_size);
plane_copy plane_copy_loop_v3(std::size_t element_size);
plane_copy plane_copy_loop_v4(std::size_t element_size);

}  // namespace sinter::codegen
