// Nodes of indices, as the library's functions make them: those along an axis, those that shapes determine, and
// elements gathered along an axis.
#pragma once

#include <tests/fuzz/grow.hpp>

namespace sinter::fuzz {

/// step * index along an axis of a result of that rank; the other extents are 1.
int index_along(grower& g, int rank, int axis, std::int64_t count, std::int64_t step = 1);
/// A number that is part of the plan, like an extent.
int fixed_index(grower& g, std::int64_t n);
/// The elements at `index` along an axis, which has `count` elements in the result. `index` broadcasts to the result.
int read_along(grower& g, int x, int axis, std::int64_t count, int index);

}  // namespace sinter::fuzz
