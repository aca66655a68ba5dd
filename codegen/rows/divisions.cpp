// Multiplies by the divisor's reciprocal (T. Granlund and P. L. Montgomery, "Division by invariant integers using
// multiplication", 1994): a division takes 10 cycles or more, and there are no vectors of them. Compiled once per
// instruction set, which SINTER_ISA names.
#include <codegen/rows/divisions.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/number/arithmetic.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

#include <bit>
#include <limits>
#include <type_traits>

namespace sinter::codegen {
namespace {

__extension__ using wide_unsigned = unsigned __int128;

/// Divides by d > 0, rounding down. With N = digits of T and 2^(l - 1) < d <= 2^l, factor = floor(2^(N + l) / d) + 1
/// exceeds 2^(N + l) / d by so little that floor(n * factor / 2^(N + l)) is the quotient of every n below 2^N. The
/// factor is at most 2^(N + 1), so a product has at most 2 N + 1 bits.
template <class T>
class divider {
public:
    explicit divider(T d)
        : shift_(std::numeric_limits<T>::digits + static_cast<int>(std::bit_width(static_cast<word>(d - 1)))),
          factor_(static_cast<narrow>((product(1) << shift_) / static_cast<word>(d) + 1)) {}

    T operator()(T x) const {
        const T sign =
            static_cast<T>(x >> std::numeric_limits<T>::digits);  // of a negative x: floor(x / d) = ~(~x / d)
        return static_cast<T>(static_cast<T>(product(static_cast<word>(x ^ sign)) * factor_ >> shift_) ^ sign);
    }

private:
    using word = std::make_unsigned_t<T>;
    using product = std::conditional_t < sizeof(T) == 8,
          wide_unsigned, std::conditional_t<std::numeric_limits<T>::digits<16, std::uint32_t, std::uint64_t>>;

    // as few bits as the factor has: products of wider ones take longer
    using narrow = std::conditional_t<std::is_signed_v<T>, word, std::uint32_t>;

    int shift_;
    narrow factor_;
};

template <class T, bool Remainder>
void divide(void* to, const void* const* in, std::size_t n) {
    using word = std::make_unsigned_t<T>;
    T* const out = static_cast<T*>(to);
    const T* const x = static_cast<const T*>(in[0]);
    if (n == 0) return;
    const T d = *static_cast<const T*>(in[1]);
    const auto divide_by = [&](const auto& quotient) {
        SINTER_DETAIL_IVDEP
        for (std::size_t i = 0; i < n; ++i) {
            const T q = quotient(x[i]);
            out[i] =
                Remainder ? static_cast<T>(static_cast<word>(x[i]) - static_cast<word>(q) * static_cast<word>(d)) : q;
        }
    };
    if (d > 0) return divide_by(divider<T>(d));
    for (std::size_t i = 0; i < n; ++i)
        out[i] =
            Remainder ? detail::number::floored_remainder<T>(x[i], d) : detail::number::floored_quotient<T>(x[i], d);
}

}  // namespace

detail::map_loop SINTER_FORM(division_loop)(bool remainder, dtype type) {
    const auto loop = [remainder]<class T>(T) { return remainder ? divide<T, true> : divide<T, false>; };
    switch (type) {
        case dtype::int8: return loop(std::int8_t());
        case dtype::uint8: return loop(std::uint8_t());
        case dtype::int16: return loop(std::int16_t());
        case dtype::uint16: return loop(std::uint16_t());
        case dtype::int32: return loop(std::int32_t());
        case dtype::int64: return loop(std::int64_t());
        default: return nullptr;
    }
}

}  // namespace sinter::codegen
