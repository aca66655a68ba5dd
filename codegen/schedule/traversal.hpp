// How often the accesses of a kernel's elements are made, and whether an access moves neighbours.
#pragma once

#include <codegen/ir/loop_nest.hpp>

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

/// How often the elements of something are gone through: `wide` accesses of `vector` elements, and `single` ones.
struct traversal {
    std::int64_t wide = 0, single = 0;
    int vector = 1;

    std::int64_t elements() const { return wide * vector + single; }
};

}  // namespace sinter::codegen
