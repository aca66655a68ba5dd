// Multiplies by the divisor's reciprocal (T. Granlund and P. L. Montgomery, "Division by invariant integers using
// multiplication", 1994): a division takes 10 cycles or more, and there are no vectors of them.
#include <codegen/host/divisions.hpp>

#include <sinter/number/arithmetic.hpp>
#include <sinter/op/builtin.hpp>

#include <bit>
#include <limits>
#include <type_traits>

namespace sinter::codegen::blocked {
namespace {

__extension__ using wide_unsigned = unsigned __int128;

/// Divides by d > 0, rounding down. With N = bits of T - 1 and 2^(l - 1) < d <= 2^l, factor = floor(2^(N + l) / d) + 1
/// exceeds 2^(N + l) / d by so little that floor(n * factor / 2^(N + l)) is the quotient of every n below 2^N.
template <class T>
class divider {
public:
    explicit divider(T d)
        : shift_(std::numeric_limits<T>::digits + static_cast<int>(std::bit_width(static_cast<word>(d - 1)))),
          factor_(static_cast<word>((product(1) << shift_) / static_cast<word>(d) + 1)) {}

    T operator()(T x) const {
        const T sign =
            static_cast<T>(x >> std::numeric_limits<T>::digits);  // of a negative x: floor(x / d) = ~(~x / d)
        return static_cast<T>(static_cast<T>(product(static_cast<word>(x ^ sign)) * factor_ >> shift_) ^ sign);
    }

private:
    using word = std::make_unsigned_t<T>;
    using product = std::conditional_t<sizeof(T) == 8, wide_unsigned, std::uint64_t>;

    int shift_;
    word factor_;
};

template <class T, bool Remainder>
void divide(void* to, const void* const* in, std::size_t n) {
    using word = std::make_unsigned_t<T>;
    T* const out = static_cast<T*>(to);
    const T* const x = static_cast<const T*>(in[0]);
    if (n == 0) return;
    const T d = *static_cast<const T*>(in[1]);
    const auto divide_by = [&](const auto& quotient) {
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

detail::map_loop division_by_one_number(const op_row& row, dtype type) {
    const bool remainder = row.builtin == static_cast<int>(builtin_op::remainder);
    if (!remainder && row.builtin != static_cast<int>(builtin_op::floor_divide)) return nullptr;
    if (type == dtype::int64) return remainder ? divide<std::int64_t, true> : divide<std::int64_t, false>;
    if (type == dtype::int32) return remainder ? divide<std::int32_t, true> : divide<std::int32_t, false>;
    return nullptr;
}

}  // namespace sinter::codegen::blocked
