// Discrete Fourier transforms, as in numpy.fft. Not part of sinter.hpp: include it separately.
//
//     array<std::complex<float>, 2> spectra = fft(x * hanning<float>(1024));
//     array<double, 1> back = irfft(rfft(signal), signal.size());
#pragma once

#include <sinter/call.hpp>
#include <sinter/fft_usage.hpp>
#include <sinter/gather.hpp>
#include <sinter/generate.hpp>
#include <sinter/op/complex.hpp>
#include <sinter/op/functions.hpp>

namespace sinter {

/// Which transform is scaled for n elements: `backward` (default) divides the inverse by n, `forward` the forward
/// transform by n, `ortho` both by sqrt(n).
enum class fft_norm { backward, ortho, forward };

namespace detail {

enum class transform : std::int64_t { forward, backward, real_to_half, half_to_real };

[[noreturn]] void throw_bad_fft_length(const char* function, std::int64_t length);

template <class A>
inline constexpr dtype parts_of_spectrum = [] {
    constexpr dtype d = expr_of<A>::type;
    return is_floating(d) || is_complex(d) ? real_of(computed_in(d)) : default_float;
}();

template <class T>
concept fft_option = integer<T> || is_axes<T>::value || std::same_as<T, fft_norm>;

constexpr fft_norm norm_among() { return fft_norm::backward; }
template <class First, class... Rest>
constexpr fft_norm norm_among(const First& first, const Rest&... rest) {
    if constexpr (std::is_same_v<First, fft_norm>)
        return first;
    else
        return norm_among(rest...);
}

constexpr all_axes axes_among() { return {}; }
template <class First, class... Rest>
constexpr auto axes_among(const First& first, const Rest&... rest) {
    if constexpr (is_axes<First>::value)
        return first;
    else
        return axes_among(rest...);
}

/// The number of axes that a transform runs along: those named, or `Otherwise`.
template <int Otherwise, class... Options>
inline constexpr int transformed_axes = [] {
    constexpr int counts[] = {axis_count<Options>..., 0};
    int named = 0;
    for (const int count : counts) named = count > 0 ? count : named;
    return named > 0 ? named : Otherwise;
}();

template <int Count>
struct fft_lengths {
    std::int64_t of[Count > 0 ? Count : 1];
};

/// The transform lengths given by the caller, one per axis.
template <int Count>
fft_lengths<Count> named_lengths(const char* function, const any_integer (&given)[Count]) {
    fft_lengths<Count> all{};
    for (int i = 0; i < Count; ++i) {
        all.of[i] = as_int64(given[i]);
        if (all.of[i] < 1) throw_bad_fft_length(function, all.of[i]);
    }
    return all;
}

/// The operand with `length` elements along an axis: truncated or padded with zeros at the end.
template <class E>
auto with_length(const E& e, int axis, std::int64_t length) {
    const std::int64_t own = e.shape().extent[axis];
    const auto i = index_along<E::rank>(axis, length);
    auto read = along(e, axis, length, index_of_part(i, fixed_index(0), fixed_index(own > 0 ? own : 1)));
    return where(i < fixed_index(own), std::move(read), element_t<E::type>(0));
}

template <int K, class E, int Count>
auto with_lengths(const E& e, const int (&axes)[Count], const fft_lengths<Count>& lengths) {
    if constexpr (K == Count)
        return e;
    else
        return with_lengths<K + 1>(with_length(e, axes[K], lengths.of[K]), axes, lengths);
}

/// The divisor of a transform of this form: see codegen/functions/fft.hpp.
constexpr std::int64_t fft_divisor(transform form, fft_norm norm) {
    const bool forward = form == transform::forward || form == transform::real_to_half;
    if (norm == fft_norm::ortho) return 1;
    return forward == (norm == fft_norm::forward) ? 2 : 0;
}

/// The transform along the last `Count` axes.
template <transform Form, int Count, class E>
auto transformed_last(const E& e, fft_norm norm, std::int64_t last) {
    constexpr dtype parts = parts_of_spectrum<E>;
    constexpr dtype made = Form == transform::half_to_real ? parts : complex_of(parts);
    const std::int64_t integers[] = {static_cast<std::int64_t>(Form), Count, fft_divisor(Form, norm), last};
    return call_of<calls::fft, 0, made, E::rank>(integers, e);
}

/// The transform along `Count` axes: those among the options, else the last ones. `Named` says whether lengths are
/// given.
template <transform Form, int Count, bool Named, class A, class... Options>
auto transformed(const char* function, A&& a, fft_lengths<Count> lengths, const Options&... options) {
    const called_as self(function);
    constexpr int rank = std::remove_cvref_t<A>::rank;
    constexpr bool from_real = Form == transform::real_to_half;
    static_assert(!from_real || !is_complex(expr_of<A>::type),
                  "sinter: rfft takes real operands; for complex ones write fft");
    static_assert(rank >= Count && Count > 0,
                  "sinter: the operand has too few axes for the transform: fft needs one, fft2 two");
    constexpr dtype type = from_real ? parts_of_spectrum<A> : complex_of(parts_of_spectrum<A>);
    const auto named = axes_among(options...);
    constexpr bool trailing = std::is_same_v<std::remove_const_t<decltype(named)>, all_axes>;
    int axes[Count > 0 ? Count : 1];
    if constexpr (trailing) {
        for (int i = 0; i < Count; ++i) axes[i] = rank - Count + i;
    } else {
        const auto chosen = as_runtime(named);
        axis_mask(function, chosen, rank);
        for (int i = 0; i < Count; ++i) axes[i] = chosen.value[i] < 0 ? chosen.value[i] + rank : chosen.value[i];
    }
    auto e = to_dtype<type>(expr_of<A>(as_expr(std::forward<A>(a))));
    const fft_norm norm = norm_among(options...);
    std::int64_t of_result = 0;
    if constexpr (Form == transform::half_to_real) {
        std::int64_t& last = lengths.of[Count - 1];
        of_result = Named ? last : 2 * (e.shape().extent[axes[Count - 1]] - 1);
        last = last / 2 + 1;
    }
    auto sized = [&] {
        if constexpr (Named)
            return with_lengths<0>(e, axes, lengths);
        else
            return std::move(e);
    }();
    if constexpr (trailing) {
        return transformed_last<Form, Count>(sized, norm, of_result);
    } else {
        int to_end[rank], back[rank], next = 0;
        for (int i = 0; i < rank; ++i) {
            bool kept = true;
            for (const int axis : axes) kept = kept && axis != i;
            if (kept) to_end[next++] = i;
        }
        for (const int axis : axes) to_end[next++] = axis;
        for (int i = 0; i < rank; ++i) back[to_end[i]] = i;
        return permute(transformed_last<Form, Count>(permute(std::move(sized), to_end), norm, of_result), back);
    }
}

/// A transform along one axis; the options may include a length.
template <transform Form, class A, class... Options>
auto transformed_line(const char* function, A&& a, const Options&... options) {
    static_assert((fft_option<Options> && ...),
                  "sinter: a transform takes a length, an axis by name and an fft_norm: fft(x, 1024, axis=0, "
                  "fft_norm::ortho)");
    static_assert(transformed_axes<1, Options...> == 1,
                  "sinter: fft transforms along one axis; for several write fft2 or fftn");
    constexpr int lengths = (0 + ... + (integer<Options> ? 1 : 0));
    static_assert(lengths <= 1, "sinter: fft takes one length; for several write fft2 or fftn: fftn(x, {64, 64})");
    std::int64_t length = 0;
    [[maybe_unused]] const auto note = [&]<class T>(const T& option) {
        if constexpr (integer<T>) length = as_int64(option);
    };
    (note(options), ...);
    if (lengths == 1 && length < 1) throw_bad_fft_length(function, length);
    return transformed<Form, 1, lengths == 1>(function, std::forward<A>(a), fft_lengths<1>{{length}}, options...);
}

template <transform Form, int Otherwise, class A, class... Options>
auto transformed_all(const char* function, A&& a, const Options&... options) {
    static_assert(((fft_option<Options> && !integer<Options>)&&...),
                  "sinter: a transform along several axes takes its lengths in braces, axes by name and an fft_norm: "
                  "fftn(x, {64, 64}, axis={0, 1}, fft_norm::ortho)");
    constexpr int count = transformed_axes<Otherwise, Options...>;
    return transformed<Form, count, false>(function, std::forward<A>(a), fft_lengths<count>{}, options...);
}

template <transform Form, int N, class A, class... Options>
auto transformed_to(const char* function, A&& a, const braced<N>& lengths, const Options&... options) {
    constexpr bool matched = transformed_axes<N, Options...> == N;
    static_assert(matched, "sinter: a transform takes one length per axis: fftn(x, {64, 32}, axis={0, 1})");
    return transformed<Form, N, true>(function, std::forward<A>(a), named_lengths(function, lengths), options...);
}

/// Replaces the norm among the options by that of the opposite direction.
template <class Option>
constexpr auto with_other_norm(const Option& option) {
    if constexpr (!std::is_same_v<Option, fft_norm>)
        return option;
    else
        return option == fft_norm::ortho     ? option
               : option == fft_norm::forward ? fft_norm::backward
                                             : fft_norm::forward;
}
template <class... Options>
inline constexpr bool names_norm = (std::is_same_v<Options, fft_norm> || ...);

}  // namespace detail

/// The discrete Fourier transform along an axis (default: last): element k is the sum of a(j) exp(-2 pi i jk / n). The
/// result is complex128, or complex64 for float32, complex64 and storage types. With a length, as in fft(x, 1024), the
/// operand is truncated or zero-padded. Every length takes O(n log n) steps; NaN and infinity spread to their whole
/// line. Throws for an axis without elements and for lengths below 1. A transform is a separate step, like sort;
/// elementwise work before and after fuses around it, or into its kernels. Options: a length; axis=; an fft_norm.
template <operand A, class... Options>
[[nodiscard]] auto fft(A&& a, const Options&... options) {
    return detail::transformed_line<detail::transform::forward>("fft", std::forward<A>(a), options...);
}
/// The inverse of fft: exp(+2 pi i jk / n), divided by n. Options as fft.
template <operand A, class... Options>
[[nodiscard]] auto ifft(A&& a, const Options&... options) {
    return detail::transformed_line<detail::transform::backward>("ifft", std::forward<A>(a), options...);
}
/// The first n / 2 + 1 elements of the transform of n real elements; the others are their conjugates. Options as fft.
template <operand A, class... Options>
[[nodiscard]] auto rfft(A&& a, const Options&... options) {
    return detail::transformed_line<detail::transform::real_to_half>("rfft", std::forward<A>(a), options...);
}
/// The inverse of rfft: real, with 2 (m - 1) elements for an axis of m, or with the given length, which odd lengths
/// need: irfft(z, n). Imaginary parts of the first element, and for even lengths of the last, are ignored. Options as
/// fft.
template <operand A, class... Options>
[[nodiscard]] auto irfft(A&& a, const Options&... options) {
    return detail::transformed_line<detail::transform::half_to_real>("irfft", std::forward<A>(a), options...);
}
/// The real transform of a Hermitian input given by its first half: irfft of the conjugates, without division. Options
/// as irfft.
template <operand A, class... Options>
[[nodiscard]] auto hfft(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (detail::names_norm<Options...>)
        return irfft(conj(a), detail::with_other_norm(options)...);
    else
        return irfft(conj(a), options..., fft_norm::forward);
}
/// The inverse of hfft: the conjugates of rfft, divided by n. Options as rfft.
template <operand A, class... Options>
[[nodiscard]] auto ihfft(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (detail::names_norm<Options...>)
        return conj(rfft(a, detail::with_other_norm(options)...));
    else
        return conj(rfft(a, options..., fft_norm::forward));
}

/// fft along two axes (default: the last two). Lengths are a list with one per axis: fft2(x, {64, 64}). Options:
/// axis={...}; an fft_norm.
template <operand A, class... Options>
[[nodiscard]] auto fft2(A&& a, const Options&... options) {
    return detail::transformed_all<detail::transform::forward, 2>("fft2", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto fft2(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::forward, N>("fft2", std::forward<A>(a), lengths, options...);
}
/// The inverse of fft2. Options as fft2.
template <operand A, class... Options>
[[nodiscard]] auto ifft2(A&& a, const Options&... options) {
    return detail::transformed_all<detail::transform::backward, 2>("ifft2", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto ifft2(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::backward, N>("ifft2", std::forward<A>(a), lengths, options...);
}
/// rfft along the last of two axes, fft along the other. Options as fft2.
template <operand A, class... Options>
[[nodiscard]] auto rfft2(A&& a, const Options&... options) {
    return detail::transformed_all<detail::transform::real_to_half, 2>("rfft2", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto rfft2(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::real_to_half, N>("rfft2", std::forward<A>(a), lengths, options...);
}
/// The inverse of rfft2. Options as fft2; lengths are those of the result.
template <operand A, class... Options>
[[nodiscard]] auto irfft2(A&& a, const Options&... options) {
    return detail::transformed_all<detail::transform::half_to_real, 2>("irfft2", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto irfft2(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::half_to_real, N>("irfft2", std::forward<A>(a), lengths,
                                                                      options...);
}

/// fft along several axes: all by default, or with lengths as many last axes as lengths. Options as fft2.
template <operand A, class... Options>
[[nodiscard]] auto fftn(A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    return detail::transformed_all<detail::transform::forward, rank>("fftn", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto fftn(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::forward, N>("fftn", std::forward<A>(a), lengths, options...);
}
/// The inverse of fftn. Options as fftn.
template <operand A, class... Options>
[[nodiscard]] auto ifftn(A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    return detail::transformed_all<detail::transform::backward, rank>("ifftn", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto ifftn(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::backward, N>("ifftn", std::forward<A>(a), lengths, options...);
}
/// rfft along the last of the axes, fft along the others. Options as fftn.
template <operand A, class... Options>
[[nodiscard]] auto rfftn(A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    return detail::transformed_all<detail::transform::real_to_half, rank>("rfftn", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto rfftn(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::real_to_half, N>("rfftn", std::forward<A>(a), lengths, options...);
}
/// The inverse of rfftn. Options as fftn; lengths are those of the result.
template <operand A, class... Options>
[[nodiscard]] auto irfftn(A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    return detail::transformed_all<detail::transform::half_to_real, rank>("irfftn", std::forward<A>(a), options...);
}
template <operand A, int N, class... Options>
[[nodiscard]] auto irfftn(A&& a, const detail::braced<N>& lengths, const Options&... options) {
    return detail::transformed_to<detail::transform::half_to_real, N>("irfftn", std::forward<A>(a), lengths,
                                                                      options...);
}

/// The frequency of each element of fft(x) for n samples with spacing d: 0, 1, ..., then the negative frequencies,
/// divided by n d. The element type is double by default: fftfreq<float>(n). Throws for n below 1.
template <element_type T = double>
[[nodiscard]] auto fftfreq(std::int64_t n, double d = 1) {
    if (n < 1) detail::throw_bad_fft_length("fftfreq", n);
    const auto i = detail::index_along<1>(0, n);
    const auto signed_index = where(i < n - n / 2, i, i - n);
    using C = detail::computed_t<T>;
    return astype<T>(astype<C>(signed_index) * static_cast<C>(1 / (static_cast<double>(n) * d)));
}
/// The frequency of each element of rfft(x): 0, 1, ... n / 2, divided by n d. See fftfreq.
template <element_type T = double>
[[nodiscard]] auto rfftfreq(std::int64_t n, double d = 1) {
    if (n < 1) detail::throw_bad_fft_length("rfftfreq", n);
    using C = detail::computed_t<T>;
    return astype<T>(astype<C>(detail::index_along<1>(0, n / 2 + 1)) *
                     static_cast<C>(1 / (static_cast<double>(n) * d)));
}

namespace detail {

template <int K, class E, int Count>
auto shifted_spectrum(const E& e, const int (&axes)[Count], bool back) {
    if constexpr (K == Count) {
        return e;
    } else {
        const std::int64_t n = e.shape().extent[axes[K]];
        return shifted_spectrum<K + 1>(roll_along(e, back ? -(n / 2) : n / 2, axes[K]), axes, back);
    }
}

template <class A, class Axes>
auto shifted_spectrum(const char* function, A&& a, const Axes& which, bool back) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    constexpr int count = std::is_same_v<Axes, all_axes> ? rank : axis_count<Axes>;
    static_assert(count > 0 && count <= rank, "sinter: axes are given by name: fftshift(x, axis=1), axis={0, 1}");
    const std::uint32_t mask = mask_of_axes<rank>(function, which);
    int axes[count > 0 ? count : 1], next = 0;
    for (int i = 0; i < rank; ++i)
        if (mask >> i & 1) axes[next++] = i;
    return shifted_spectrum<0>(expr_of<A>(as_expr(std::forward<A>(a))), axes, back);
}

}  // namespace detail

/// Moves the zero frequency to the middle, along the given axes (default: all). A view; accepts any dtype.
template <operand A, class Axes = detail::all_axes>
[[nodiscard]] auto fftshift(A&& a, const Axes& which = {}) {
    return detail::shifted_spectrum("fftshift", std::forward<A>(a), which, false);
}
/// The inverse of fftshift.
template <operand A, class Axes = detail::all_axes>
[[nodiscard]] auto ifftshift(A&& a, const Axes& which = {}) {
    return detail::shifted_spectrum("ifftshift", std::forward<A>(a), which, true);
}

}  // namespace sinter
