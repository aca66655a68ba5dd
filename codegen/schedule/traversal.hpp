// How often the accesses of a kernel's elements are made, and whether an access moves neighbours.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

inline bool moves_along_any(const loop_nest& k, const value& load, const std::vector<int>& axes) {
    return std::any_of(axes.begin(), axes.end(), [&](int axis) {
        return k.layouts[static_cast<std::size_t>(load.at)].stride[static_cast<std::size_t>(axis)] != 0;
    });
}

inline bool is_neighbouring(const loop_nest& k, int layout_position, const std::vector<int>& axes) {
    return !axes.empty() &&
           k.layouts[static_cast<std::size_t>(layout_position)].stride[static_cast<std::size_t>(axes.back())] == 1;
}

/// Whether the neighbours of a row's access lie apart, so that each is loaded by itself.
inline bool is_strided(const loop_nest& k, const schedule& s, int layout_position, const std::vector<int>& axes) {
    if (s.form != schedule_form::rows || axes.empty()) return false;
    const std::int64_t step =
        k.layouts[static_cast<std::size_t>(layout_position)].stride[static_cast<std::size_t>(axes.back())];
    return step != 0 && step != 1;
}

/// The accesses that load what one access of a traversal uses: so many, of so many elements.
struct wide_access {
    int elements = 1, times = 1;
};
/// Of a load whose elements are neighbours along the last of `axes`, of one that repeats itself there, or of a wide
/// gather. The first of interleaved loads stands for all of its window.
wide_access wide_access_of(const loop_nest& k, const schedule& s, int load, const std::vector<int>& axes);

/// Accesses of a thread for each element that it computes, summed over stores and the loads of arrays that the
/// first-level cache does not hold.
double accesses_per_element(const loop_nest& k, const schedule& s);

/// How often the elements of something are gone through: `wide` accesses of `vector` elements, and `single` ones.
struct traversal {
    std::int64_t wide = 0, single = 0;
    int vector = 1;

    std::int64_t elements() const { return wide * vector + single; }
};

}  // namespace sinter::codegen
