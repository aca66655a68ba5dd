// Layout of a program's arrays in shared memory.
#pragma once

#include <codegen/device/program.hpp>

#include <cstddef>
#include <map>

namespace sinter::codegen::device_ir {

struct shared_layout {
    std::map<id, std::size_t> offsets;  ///< of each array in shared memory, in bytes
    std::size_t bytes = 0;
    std::size_t alignment = 16;  ///< of the first byte

    /// Whether it exceeds the limit for statically sized arrays; the launch then requests it dynamically.
    bool is_dynamic() const { return bytes > 48 * 1024; }
};

shared_layout shared_layout_of(const program& p);

}  // namespace sinter::codegen::device_ir
