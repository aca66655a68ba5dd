// Scatter on the host: writes at indices of an array, one value after another.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::codegen {

/// A scatter along the middle axis of an array of (outer, extent, inner) elements. keys[i], from 0 to extent, is the
/// index at which the values (outer, i, inner) are written; a key of extent is ignored.
struct scatter {
    dtype type{};
    bool adds = false;  ///< else assigns: the last value wins. Half types are not added
    std::int64_t outer = 1, extent = 1, inner = 1, count = 0;
    void* to = nullptr;
    const std::int32_t* keys = nullptr;
    const void* values = nullptr;
};

void scatter_on_host(const scatter& s);

}  // namespace sinter::codegen
