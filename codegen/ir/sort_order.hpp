// Parameters of the sort keys of a dtype: see include/sinter/number/order.hpp, which makes the keys.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::codegen {

struct sort_order {
    int word_bytes = 0;  ///< of an element, or of one part of a complex number
    int parts = 1;
    std::uint64_t sign = 0, infinity = 0;
    bool descending = false;
};

constexpr sort_order order_of(dtype type, bool descending) {
    const dtype part = type == dtype::complex64 ? dtype::float32 : type == dtype::complex128 ? dtype::float64 : type;
    sort_order o;
    o.word_bytes = static_cast<int>(size_of(part));
    o.parts = part == type ? 1 : 2;
    o.descending = descending;
    const bool is_signed = is_floating(part) || kind_of(part) == dtype_kind::signed_integer;
    if (is_signed) o.sign = std::uint64_t{1} << (8 * o.word_bytes - 1);
    switch (part) {
        case dtype::float8_e4m3: o.infinity = 0x7e; break;  // its largest number: beyond are NaNs
        case dtype::float8_e5m2: o.infinity = 0x7c; break;
        case dtype::float16: o.infinity = 0x7c00; break;
        case dtype::bfloat16: o.infinity = 0x7f80; break;
        case dtype::float32: o.infinity = 0x7f800000; break;
        case dtype::float64: o.infinity = 0x7ff0000000000000; break;
        default: break;
    }
    return o;
}

}  // namespace sinter::codegen
