// The kernels that search by a tree of separators in shared memory: for arrays of any length, whose elements are one
// word. The first text is shared; codegen/cuda/sort.cpp appends the second one to the order of the elements.
#pragma once

#include <cstdint>
#include <string>

namespace sinter::codegen {

/// Values that a thread has in flight; levels of the largest trees, which have 32 KB of words of 8 bytes, and of
/// the largest that leave room for the points of an interpolation.
inline constexpr std::int64_t searched_at_once = 8;
inline constexpr int max_tree_levels = 12, max_levels_with_points = 10;

/// The smallest even number of levels with a separator for each element, so that few sources serve all lengths.
constexpr int tree_levels(std::int64_t length, int max_levels) {
    int levels = 2;
    while (levels < max_levels && length > std::int64_t{1} << levels) levels += 2;
    return levels;
}

extern const char* const search_tree_text;
extern const char* const search_by_tree_text;

/// The constants of a tree's text. `is_whole`: each element has a separator.
std::string tree_constants(int levels, bool is_whole);

/// What the source of an interpolation depends on.
struct interpolate_source {
    int levels = 0;
    bool is_double = false;
    bool is_whole = false;  ///< shared memory holds all points
};

/// A complete translation unit, with the kernel `interpolate`.
std::string interpolate_text_of(const interpolate_source& s);

}  // namespace sinter::codegen
