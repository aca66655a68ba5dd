// Values that the indices alone decide, as pieces along an axis: a mask that is true between two indices, an index that
// wraps around. They are computed once, by the ops' own loops, and the pieces read off: no op has a rule here.
#pragma once

#include <codegen/ir/kernel.hpp>
#include <codegen/rows/dispatch.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::blocked {

/// The dtypes that masks and indices have.
constexpr bool is_index_type(dtype t) { return t == dtype::bool_ || t == dtype::int32 || t == dtype::int64; }

/// For each value whether the indices and what the shapes decide determine it, and it has an index type.
std::vector<char> find_decided(const kernel& k);

/// From index `begin` on, up to the next piece, the value is base + step * (index - begin).
struct piece {
    std::int64_t begin = 0, base = 0, step = 0;
};

/// The pieces of a decided value that varies along `axis` alone. Pieces begin at `cuts`, which ascend, where they would
/// not else. None where there are more than `max_pieces`, the cuts' not counted.
std::vector<piece> pieces_along(const kernel& k, int id, int axis, const std::vector<std::int64_t>& cuts,
                                std::size_t max_pieces, instruction_set isa);

/// The result of a value's op or cast for n elements of decided operands.
void apply(const kernel& k, const value& v, const void* const* in, void* out, std::size_t n, instruction_set isa);

/// One element of a decided value, and its bytes, low end first.
std::int64_t to_integer(dtype type, const void* element);
std::uint64_t to_bits(dtype type, std::int64_t n);

}  // namespace sinter::codegen::blocked
