// Host loops for one row, generated from the row's tokens. codegen/host instantiates them for built-in rows, once per
// instruction set; a user's row instantiates them where it is defined.
//
//   SINTER_DETAIL_BODY(softsign_body, x / (T(1) + abs(x)));
//   host_loops loops = make_map_loops<softsign_body, dtype_rule::floating, 1>(dtype::float32);
//
//   SINTER_DETAIL_BODY(sum_body, x + y);
//   SINTER_DETAIL_IDENTITY(sum_identity, T(0));
//   host_loops loops = make_fold_loops<sum_body, sum_identity, dtype_rule::sum>(dtype::float64);
#pragma once

#include <sinter/op/math.hpp>
#include <sinter/op/row.hpp>

#include <cstring>

// Asserts that a loop carries no dependence: element i of the result may overwrite only element i of an operand.
#if defined(__clang__)
#define SINTER_DETAIL_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SINTER_DETAIL_IVDEP _Pragma("GCC ivdep")
#else
#define SINTER_DETAIL_IVDEP
#endif

/// A type that holds a row's tokens. X and Y are the types of the first two operands, T for most rules (operand_of).
#define SINTER_DETAIL_BODY(type_name, ...)                                                         \
    struct type_name : ::sinter::detail::math {                                                    \
        template <class T, class X, class Y>                                                       \
        [[gnu::always_inline]] static inline auto call([[maybe_unused]] X x, [[maybe_unused]] Y y, \
                                                       [[maybe_unused]] T z) {                     \
            using namespace ::sinter::detail::number;                                              \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    }

namespace sinter::detail {

/// The type in which ops compute elements of a dtype.
template <dtype D>
struct number_of_dtype {
    using type = element_t<D>;
};
template <dtype D>
    requires(is_complex(D))
struct number_of_dtype<D> {
    using type = number::complex<element_t<real_of(D)>>;
};
template <dtype D>
    requires(is_moments(D))
struct number_of_dtype<D> {
    using type = number::moments<element_t<real_of(D)>>;
};
template <dtype D>
    requires(is_exp_sum(D))
struct number_of_dtype<D> {
    using type = number::exp_sum<element_t<real_of(D)>>;
};
template <>
struct number_of_dtype<dtype::keyed_index> {
    using type = number::keyed_index;
};
template <dtype D>
using number_t = typename number_of_dtype<D>::type;

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // bodies such as tgamma(x) stay scalar, as expected
#endif

/// Loads a bool as a byte: compilers vectorise bytes but not bools.
template <class T>
[[gnu::always_inline]] inline T load_element(const T* from, std::size_t i) {
    if constexpr (std::is_same_v<T, bool>)
        return reinterpret_cast<const unsigned char*>(from)[i] != 0;
    else
        return from[i];
}
template <class T>
[[gnu::always_inline]] inline void store_element(T* to, std::size_t i, T value) {
    if constexpr (std::is_same_v<T, bool>)
        reinterpret_cast<unsigned char*>(to)[i] = value;
    else
        to[i] = value;
}

/// X and Y are the types of the first and second operand; the third has type T.
template <class Body, class T, class X, class Out, int Arity, class Y = T>
struct map_of {
    // A multiple of every vector width up to 64 bytes, so the compiler leaves no scalar remainder.
    static constexpr std::size_t lanes = 64 / sizeof(T);

    [[gnu::always_inline]] static inline void span(Out* out, const X* x, [[maybe_unused]] const Y* y,
                                                   [[maybe_unused]] const T* z, std::size_t n) {
        SINTER_DETAIL_IVDEP
        for (std::size_t i = 0; i < n; ++i) {
            const X first = load_element(x, i);
            if constexpr (Arity == 1)
                store_element(out, i, static_cast<Out>(Body::template call<T, X>(first, T(), T())));
            else if constexpr (Arity == 2)
                store_element(out, i, static_cast<Out>(Body::template call<T, X>(first, load_element(y, i), T())));
            else
                store_element(
                    out, i, static_cast<Out>(Body::template call<T, X>(first, load_element(y, i), load_element(z, i))));
        }
    }

    static void run(void* to, const void* const* in, std::size_t n) {
        Out* out = static_cast<Out*>(to);
        const X* x = static_cast<const X*>(in[0]);
        const Y* y = Arity > 1 ? static_cast<const Y*>(in[1]) : nullptr;
        const T* z = Arity > 2 ? static_cast<const T*>(in[2]) : nullptr;
        if constexpr (!std::is_floating_point_v<T>) {
            span(out, x, y, z, n);
        } else {
            // The remainder uses the same vector code, so that an element's value does not depend on its index: as part
            // of the last full block, or padded with its last element, which is a valid input. It is computed first,
            // because `out` may overwrite the inputs.
            const std::size_t whole = n & ~(lanes - 1), rest = n - whole;
            Out last[lanes];
            if (rest != 0) {
                X x_rest[lanes];
                Y y_rest[lanes];
                T z_rest[lanes];
                const X* x_last = x;
                const Y* y_last = y;
                const T* z_last = z;
                if (whole != 0) {
                    x_last += n - lanes;
                    if constexpr (Arity > 1) y_last += n - lanes;
                    if constexpr (Arity > 2) z_last += n - lanes;
                } else {
                    for (std::size_t i = 0; i < lanes; ++i) {
                        const std::size_t from = i < rest ? i : rest - 1;
                        x_rest[i] = x[from];
                        if constexpr (Arity > 1) y_rest[i] = y[from];
                        if constexpr (Arity > 2) z_rest[i] = z[from];
                    }
                    x_last = x_rest;
                    if constexpr (Arity > 1) y_last = y_rest;
                    if constexpr (Arity > 2) z_last = z_rest;
                }
                span(last, x_last, y_last, z_last, lanes);
            }
            span(out, x, y, z, whole);
            std::memcpy(out + whole, last + (whole != 0 ? lanes - rest : 0), rest * sizeof(Out));
        }
    }
};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class Body, class T>
struct fold_of {
    // The number of accumulators is fixed, so the summation order, and thus a floating sum, does not depend on the
    // vector width. 128 bytes are four AVX2 vectors: enough to hide the latency of an addition.
    static constexpr std::size_t lanes = sizeof(T) >= 4 ? 128 / sizeof(T) : 32;

    [[gnu::always_inline]] static inline T combine(T a, T b) {
        return static_cast<T>(Body::template call<T, T>(a, b, T()));
    }

    /// Reduces fewer than 2 * Width elements into the first lanes, then the lanes into the first. All loops have
    /// compile-time trip counts, so the lanes stay in registers.
    template <std::size_t Width>
    [[gnu::always_inline]] static inline void finish(T* lane, const T* in, std::size_t n) {
        if constexpr (Width > 0) {
            if (n & Width)
                for (std::size_t j = 0; j < Width; ++j) lane[j] = combine(lane[j], in[j]);
            for (std::size_t j = 0; j < Width; ++j) lane[j] = combine(lane[j], lane[j + Width]);
            finish<Width / 2>(lane, in + (n & Width), n);
        }
    }

    static T row(T acc, const T* in, std::size_t n) {
        if (n >= 2 * lanes) {
            T lane[lanes];
            for (std::size_t j = 0; j < lanes; ++j) lane[j] = combine(in[j], in[lanes + j]);
            std::size_t k = 2 * lanes;
            for (; k + lanes <= n; k += lanes)
                for (std::size_t j = 0; j < lanes; ++j) lane[j] = combine(lane[j], in[k + j]);
            finish<lanes / 2>(lane, in + k, n - k);
            return combine(acc, lane[0]);
        }
        for (std::size_t k = 0; k < n; ++k) acc = combine(acc, in[k]);
        return acc;
    }

    static void run(void* to, const void* from, std::size_t rows, std::size_t n) {
        T* acc = static_cast<T*>(to);
        const T* in = static_cast<const T*>(from);
        for (std::size_t r = 0; r < rows; ++r) acc[r] = row(acc[r], in + r * n, n);
    }
};

/// Reduces elements of the type of T's parts, a whole row at a time.
template <class Body, class T, class part>
struct fold_parts_of {

    static void run(void* to, const void* from, std::size_t rows, std::size_t n) {
        T* acc = static_cast<T*>(to);
        const part* in = static_cast<const part*>(from);
        if (n == 1) {
            SINTER_DETAIL_IVDEP
            for (std::size_t r = 0; r < rows; ++r) acc[r] = number::merged(acc[r], in[r]);
            return;
        }
        for (std::size_t r = 0; r < rows; ++r)
            acc[r] = Body::template call<T, T>(acc[r], number::folded<T>(in + r * n, n), T());
    }
};

template <class Body, class T>
struct scan_of {
    template <bool Exclusive, bool Backwards>
    static void row(T* out, T& carry, const T* in, std::size_t n) {
        T running = carry;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t k = Backwards ? n - 1 - i : i;
            const T next = fold_of<Body, T>::combine(running, in[k]);
            out[k] = Exclusive ? running : next;
            running = next;
        }
        carry = running;
    }

    static void run(void* to, void* carries, const void* from, std::size_t rows, std::size_t n, bool exclusive,
                    bool backwards) {
        T* out = static_cast<T*>(to);
        T* carry = static_cast<T*>(carries);
        const T* in = static_cast<const T*>(from);
        const auto along = backwards   ? exclusive ? row<true, true> : row<false, true>
                             : exclusive ? row<true, false>
                                       : row<false, false>;
        for (std::size_t r = 0; r < rows; ++r) along(out + r * n, carry[r], in + r * n, n);
    }
};

/// with_dtype for every dtype that a value can have, including accumulators.
template <class F>
constexpr auto with_value_dtype(dtype d, F f) {
    switch (d) {
        case dtype::moments32: return f.template operator()<dtype::moments32>();
        case dtype::moments64: return f.template operator()<dtype::moments64>();
        case dtype::exp_sum32: return f.template operator()<dtype::exp_sum32>();
        case dtype::exp_sum64: return f.template operator()<dtype::exp_sum64>();
        case dtype::keyed_index: return f.template operator()<dtype::keyed_index>();
        default: return with_dtype(d, f);
    }
}

/// The loops of a function or operator for T = d; empty if its rule does not support that T.
template <class Body, dtype_rule R, int Arity>
host_loops make_map_loops(dtype d) {
    return with_value_dtype(d, []<dtype D>() -> host_loops {
        if constexpr (computes_in(R, D)) {
            using T = number_t<D>;
            using first = number_t<operand_of(R, D, 0)>;
            using second = number_t<operand_of(R, D, 1)>;
            using result = number_t<result_of(R, D)>;
            return {map_of<Body, T, first, result, Arity, second>::run};
        } else {
            return {};
        }
    });
}

/// The loops of a reduction with accumulator dtype d: reduce, combine two accumulator arrays, and scan.
template <class Body, class Identity, dtype_rule R>
host_loops make_fold_loops(dtype d) {
    return with_value_dtype(d, []<dtype D>() -> host_loops {
        using T = number_t<D>;
        if constexpr (computes_in(R, D) && folds_parts(R))
            return {map_of<Body, T, T, T, 2>::run, fold_of<Body, T>::run, &Identity::template value<T>,
                    fold_parts_of<Body, T, number_t<real_of(D)>>::run};
        else if constexpr (computes_in(R, D) && is_accumulator(D))
            return {map_of<Body, T, T, T, 2>::run, fold_of<Body, T>::run, &Identity::template value<T>};
        else if constexpr (computes_in(R, D))
            return {map_of<Body, T, T, T, 2>::run, fold_of<Body, T>::run, &Identity::template value<T>, nullptr,
                    scan_of<Body, T>::run};
        else
            return {};
    });
}

}  // namespace sinter::detail
