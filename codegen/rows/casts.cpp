// Conversions between dtypes for one instruction set. Compiled once per instruction set, which SINTER_ISA names.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/number/narrow_integers.hpp>
#include <sinter/op/loops.hpp>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace sinter::codegen {
namespace {

template <class T>
concept storage_number = element_type<T> && is_storage_only(dtype_of<T>);
template <class T>
constexpr bool is_complex_number =
    std::is_same_v<T, detail::number_t<dtype::complex64>> || std::is_same_v<T, detail::number_t<dtype::complex128>>;

/// Converts as kernels do: out-of-range values saturate to the integer type's limits, and NaN becomes 0.
template <class To, class From>
[[gnu::always_inline]] inline To convert(From x) {
    if constexpr (std::is_same_v<To, From>) {
        return x;
    } else if constexpr (storage_number<From>) {
        return convert<To>(static_cast<float>(x));
    } else if constexpr (is_complex_number<From> && !is_complex_number<To> && !std::is_same_v<To, bool>) {
        return convert<To>(x.re);
    } else if constexpr (std::is_same_v<To, bool>) {
        return x != From(0);
    } else if constexpr (is_complex_number<To> && !is_complex_number<From>) {
        return To(static_cast<decltype(To::re)>(x));
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if constexpr (sizeof(To) < sizeof(int))
            return detail::number::narrow_integer<To>(x);
        else
            return detail::number::whole_number<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

template <class To, class From>
struct cast_of {
    static void run(void* to, const void* const* in, std::size_t n) {
        To* out = static_cast<To*>(to);
        const From* x = static_cast<const From*>(in[0]);
        std::size_t i = 0;
#if defined(__F16C__)
        if constexpr (std::is_same_v<To, float> && std::is_same_v<From, float16>)
            for (; i + 8 <= n; i += 8)
                _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
        if constexpr (std::is_same_v<To, float16> && std::is_same_v<From, float>)
            for (; i + 8 <= n; i += 8)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                                 _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
        SINTER_DETAIL_IVDEP
        for (; i < n; ++i) detail::store_element(out, i, convert<To>(detail::load_element(x, i)));
    }
};

}  // namespace

detail::map_loop SINTER_FORM(cast_loop)(dtype to, dtype from) {
    return detail::with_dtype(to, [from]<dtype To>() {
        return detail::with_dtype(from, []<dtype From>() -> detail::map_loop {
            return cast_of<detail::number_t<To>, detail::number_t<From>>::run;
        });
    });
}

}  // namespace sinter::codegen
