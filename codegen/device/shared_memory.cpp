// Places arrays one after the other, aligned for the widest access.
#include <codegen/device/shared_memory.hpp>

#include <algorithm>

namespace sinter::codegen::device_ir {

shared_layout shared_layout_of(const program& p) {
    shared_layout all;
    for (std::size_t a = 0; a < p.arrays.size(); ++a) {
        const array& one = p.arrays[a];
        if (one.where != space::shared) continue;
        std::size_t elements = static_cast<std::size_t>(one.packed);
        for (int extent : one.extents) elements *= static_cast<std::size_t>(extent);
        const std::size_t alignment = std::max<std::size_t>(16, static_cast<std::size_t>(one.alignment));
        all.alignment = std::max(all.alignment, alignment);
        all.bytes = (all.bytes + alignment - 1) / alignment * alignment;
        all.offsets[static_cast<id>(a)] = all.bytes;
        all.bytes += elements * size_of(one.type);
    }
    return all;
}

}  // namespace sinter::codegen::device_ir
