// Sums of bools and short integers into wider accumulators, for one instruction set. Compiled once per instruction
// set, which SINTER_ISA names.
#include <codegen/rows/form.hpp>
#include <codegen/rows/widened_sums.hpp>

#include <sinter/op/loops.hpp>

#include <algorithm>
#include <type_traits>

namespace sinter::codegen {
namespace {

/// The sum of elements of a row: in 32 bits as long as it fits, which takes half of the conversions.
template <class To, class T>
To widened_sum(const T* in, std::size_t n) {
    if constexpr (sizeof(T) >= 4 || sizeof(To) == 4) {
        std::make_unsigned_t<To> sum = 0;  // wraps around
        for (std::size_t i = 0; i < n; ++i) sum += static_cast<To>(detail::load_element(in, i));
        return static_cast<To>(sum);
    } else {
        using partial = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
        constexpr std::size_t most = std::size_t{1} << (31 - 8 * sizeof(T));
        To sum = 0;
        for (std::size_t first = 0; first < n; first += most) {
            const std::size_t end = std::min(n, first + most);
            partial part = 0;
            for (std::size_t i = first; i < end; ++i) part += static_cast<partial>(detail::load_element(in, i));
            sum += part;
        }
        return sum;
    }
}

template <class To, class T>
void fold_widened(void* to, const void* from, std::size_t rows, std::size_t n) {
    auto* const out = static_cast<To*>(to);
    const T* const in = static_cast<const T*>(from);
    if (n == 1) {
        SINTER_DETAIL_IVDEP
        for (std::size_t r = 0; r < rows; ++r) out[r] += static_cast<To>(detail::load_element(in, r));
        return;
    }
    for (std::size_t r = 0; r < rows; ++r) out[r] += widened_sum<To>(in + r * n, n);
}

template <class To>
detail::fold_loop widened_from(dtype from) {
    switch (from) {
        case dtype::bool_: return fold_widened<To, bool>;
        case dtype::uint8: return fold_widened<To, std::uint8_t>;
        case dtype::int8: return fold_widened<To, std::int8_t>;
        case dtype::uint16: return fold_widened<To, std::uint16_t>;
        case dtype::int16: return fold_widened<To, std::int16_t>;
        case dtype::uint32: return fold_widened<To, std::uint32_t>;
        case dtype::int32: return fold_widened<To, std::int32_t>;
        default: return nullptr;
    }
}

}  // namespace

detail::fold_loop SINTER_FORM(widened_sum_loop)(dtype accumulator, dtype from) {
    return accumulator == dtype::int32 ? widened_from<std::int32_t>(from) : widened_from<std::int64_t>(from);
}

}  // namespace sinter::codegen
