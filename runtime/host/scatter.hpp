// Writing at places of an array, one value after the other, on the host.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::codegen {

/// An array of (outer, extent, inner) elements that is written along its middle axis. keys[i], from 0 to extent, is
/// where the values (outer, i, inner) go; extent stands for nowhere.
struct scatter {
    dtype type{};
    bool adds = false;  ///< or puts: the last value counts. Half types are not added
    std::int64_t outer = 1, extent = 1, inner = 1, count = 0;
    void* to = nullptr;
    const std::int32_t* keys = nullptr;
    const void* values = nullptr;
};

void scatter_on_host(const scatter& s);

}  // namespace sinter::codegen
