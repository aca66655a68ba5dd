// The conversions between dtypes for one instruction set. Compiled once for each, with SINTER_ISA naming it.
#include <codegen/host/dispatch.hpp>

#include <sinter/op/loops.hpp>

#if !defined(SINTER_ISA)
#error "compile this file with -DSINTER_ISA=baseline, v3 or v4"
#endif
#define SINTER_JOIN_(a, b) a##b
#define SINTER_JOIN(a, b) SINTER_JOIN_(a, b)

namespace sinter::codegen {
namespace {

/// What a static_cast means, with one result for each floating value out of range whatever the vectors' width: narrow
/// integers go through a wider signed one, as scalar code for x86-64 does it.
template <class To, class From>
[[gnu::always_inline]] inline To convert(From x) {
    if constexpr (std::is_same_v<To, bool>) {
        return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if constexpr (sizeof(To) < 4)
            return static_cast<To>(static_cast<std::int32_t>(x));
        else if constexpr (std::is_same_v<To, std::uint32_t>)
            return static_cast<To>(static_cast<std::int64_t>(x));
        else if constexpr (std::is_same_v<To, std::uint64_t>) {
            constexpr From half = From(9223372036854775808.0);
            return x < half ? static_cast<To>(static_cast<std::int64_t>(x))
                            : static_cast<To>(static_cast<std::int64_t>(x - half)) ^ (To(1) << 63);
        } else
            return static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

template <class To, class From>
struct cast_of {
    static void run(void* to, const void* const* in, std::size_t n) {
        To* out = static_cast<To*>(to);
        const From* x = static_cast<const From*>(in[0]);
        SINTER_DETAIL_IVDEP
        for (std::size_t i = 0; i < n; ++i) out[i] = convert<To>(x[i]);
    }
};

}  // namespace

detail::map_loop SINTER_JOIN(cast_loop_, SINTER_ISA)(dtype to, dtype from) {
    return detail::with_element(to, [from]<class To>() {
        return detail::with_element(from, []<class From>() -> detail::map_loop { return cast_of<To, From>::run; });
    });
}

}  // namespace sinter::codegen
