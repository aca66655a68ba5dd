// Values that depend only on indices, as pieces along an axis on which they are affine: a mask that is true between two
// indices, an index that wraps. Formulas give them where the ops have rules (affine_sections.hpp), so the time does not
// depend on the extent. Elsewhere the ops' own loops evaluate values once: no op needs a rule.
#pragma once

#include <codegen/host/affine_sections.hpp>
#include <codegen/ir/loop_nest.hpp>
#include <codegen/rows/dispatch.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::blocked {

/// The dtypes of masks and indices.
constexpr bool is_index_type(dtype t) { return t == dtype::bool_ || t == dtype::int32 || t == dtype::int64; }

/// By value: whether indices and shapes alone determine it, and it has an index type. Values of loops are left out
/// unless they are asked for.
std::vector<char> find_decided(const loop_nest& k, bool in_loops = false);

/// From index `begin` up to the next piece, the value is base + step * (index - begin).
struct piece {
    std::int64_t begin = 0, base = 0, step = 0;
};

/// The pieces of a decided value that varies along `axis` alone, or is wanted at the indices `at` of the others. A
/// piece also begins at each of `cuts`, which ascend. Empty if there are more than `max_pieces`, not counting those
/// that the cuts begin, or if too much of the axis would have to be evaluated element by element.
std::vector<piece> pieces_along(const loop_nest& k, int id, int axis, const std::vector<std::int64_t>& cuts,
                                std::size_t max_pieces, instruction_set isa, const axis_indices& at = {});

/// Applies a value's op or cast to n elements of decided operands.
void apply(const loop_nest& k, const value& v, const void* const* in, void* out, std::size_t n, instruction_set isa);

/// The value of a constant, or of a scalar that indices and shapes determine.
std::int64_t fixed_value(const loop_nest& k, const value& v);

/// Converts between an element of a decided value and its bytes, low end first.
std::int64_t to_integer(dtype type, const void* element);
std::uint64_t to_bits(dtype type, std::int64_t n);

}  // namespace sinter::codegen::blocked
