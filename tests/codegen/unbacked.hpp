// Arrays without memory, of which tests of the compiler need the address alone.
#pragma once

#include <sinter.hpp>

#include <cstdint>

namespace sinter::codegen::testing {

/// No two of them overlap.
template <class T, int Rank>
array<T, Rank> unbacked(const shape<Rank>& extents) {
    static std::uintptr_t address = 4096;
    address += std::uintptr_t{1} << 40;
    return wrap(reinterpret_cast<T*>(address), extents);
}

}  // namespace sinter::codegen::testing
