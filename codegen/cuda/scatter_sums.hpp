// The kernels that add values at indices in any order, with a result that does not depend on it: all sums are sums of
// integers.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>

namespace sinter::codegen {

/// Sums of integers are integers modulo a power of two. Those of floats are fixed-point numbers whose unit depends on
/// the largest magnitude at their place: `magnitudes` finds it, for all places in the shared memory of each block,
/// `far_magnitudes` in global memory. `add` adds in shared memory, where several blocks can share the places;
/// `far_add` in global memory. `finish` adds the sums to what is there.
enum class sum_kernel : std::uint8_t { magnitudes, far_magnitudes, add, far_add, finish };

/// Threads per block: all of a multiprocessor, for the kernels that use all its shared memory.
constexpr int threads_of(sum_kernel which) {
    return which == sum_kernel::magnitudes || which == sum_kernel::add ? 1024 : 512;
}

/// How the number of a value gives its key and its place.
enum class value_layout : std::uint8_t {
    line,    ///< value i has key i, and the key is the place
    narrow,  ///< several values per key; places and values have numbers of 31 bits
    wide,    ///< likewise, of 63 bits
};

struct sum_source {
    sum_kernel which{};
    dtype type{};  ///< not of a complex number, which is two floats
    value_layout layout{};
};

/// Sums of floats are fixed-point numbers, and `magnitudes` and `finish` are part of their addition.
constexpr bool has_magnitudes(dtype type) { return is_floating(type); }

constexpr bool finds_magnitudes(sum_kernel which) {
    return which == sum_kernel::magnitudes || which == sum_kernel::far_magnitudes;
}

/// Bytes of a sum in global memory, and in shared memory with its magnitude.
constexpr std::int64_t sum_bytes(dtype type) {
    if (is_floating(type)) return type == dtype::float64 ? 16 : 8;
    return size_of(type) == 8 ? 8 : 4;
}
constexpr std::int64_t shared_sum_bytes(dtype type) { return type == dtype::float32 ? 4 : sum_bytes(type); }

/// Whether sums have the elements' own bits, so that they are added where the elements are.
constexpr bool sums_are_elements(dtype type) { return is_integer(type) && size_of(type) >= 4; }

/// A value is less than 2^bits units of its place. That of a float32 fits a word of shared memory with some additions;
/// the sum of `count` doubles fits a limb.
int bits_per_value(dtype type, std::int64_t count);

/// The kernel's name: add_at_indices.
const char* sum_kernel_name(sum_kernel which);

/// A complete translation unit.
std::string sum_text(const sum_source& s);

}  // namespace sinter::codegen
