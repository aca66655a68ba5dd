// Folds of elements beside their indices, for one instruction set: the greatest key of a part of a row, by vectors, and
// then its first position. Compiled once per instruction set, which SINTER_ISA names.
#include <codegen/rows/extremes.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/loops.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace sinter::codegen {
namespace {

using detail::number::keyed_index;

// g++ 12 compares vectors that are wider than the registers element by element.
#if defined(__AVX512BW__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

/// Accumulators: an element's key and the complement of its index, apart or in one word.
struct apart {
    using type = keyed_index;
    template <class T>
    [[gnu::always_inline]] static inline type pair(std::uint64_t key, std::int64_t index) {
        return detail::number::with_index<T>(key, index);
    }
    [[gnu::always_inline]] static inline std::uint64_t key_of(const type& x) { return x.key; }
    [[gnu::always_inline]] static inline type larger(const type& x, const type& y) {
        return detail::number::larger_key(x, y);
    }
};
struct packed {
    using type = unsigned long long;
    template <class T>
    [[gnu::always_inline]] static inline type pair(std::uint64_t key, std::int64_t index) {
        return detail::number::packed_with<T>(key, static_cast<int>(index));
    }
    [[gnu::always_inline]] static inline std::uint64_t key_of(type x) { return x >> 32; }
    [[gnu::always_inline]] static inline type larger(type x, type y) { return x > y ? x : y; }
};

template <class T, bool Reversed, class Accumulator>
class extreme_of_rows {
public:
    static void run(void* to, const void* from, std::size_t rows, std::size_t n, std::int64_t first,
                    std::int64_t step) {
        auto* const best = static_cast<pair*>(to);
        const T* const in = static_cast<const T*>(from);
        if (n == 1) return columns(best, in, rows, first);
        std::size_t r = 0;
        if (n <= few)  // the vectors of the last rows may be too long for the array
            for (; r < rows && r * n + (n > width ? n : width) <= rows * n; ++r)
                short_row(best[r], in + r * n, n, first, step);
        for (; r < rows; ++r) row(best[r], in + r * n, n, first, step);
    }

private:
    using pair = typename Accumulator::type;
    // Bools are bytes here: they have no vectors.
    using element = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
    static constexpr std::size_t part = 1024;  // elements: worth their start, and soon searched

    [[gnu::always_inline]] static inline T at(const T* in, std::size_t i) { return detail::load_element(in, i); }
    [[gnu::always_inline]] static inline std::uint64_t key_of(element value) {
        const T x = static_cast<T>(value);
        return Reversed ? detail::number::reversed_key<T>(x) : detail::number::order_key<T>(x);
    }
    static void columns(pair* best, const T* in, std::size_t columns, std::int64_t index) {
        SINTER_DETAIL_IVDEP
        for (std::size_t c = 0; c < columns; ++c)
            best[c] = Accumulator::larger(best[c], Accumulator::template pair<T>(key_of(at(in, c)), index));
    }

    static constexpr std::size_t width = vector_bytes / sizeof(T), vectors = 4, lanes = width * vectors;
    using vector [[gnu::vector_size(vector_bytes)]] = element;
    using mask = decltype(vector() > vector());
    using lane_number =
        std::conditional_t<sizeof(T) == 1, signed char,
                           std::conditional_t<sizeof(T) == 2, short, std::conditional_t<sizeof(T) == 4, int, long>>>;
    /// Elements of rows that short_row folds, whose positions are lane numbers.
    static constexpr std::size_t few =
        std::min(16 * width, std::size_t{std::numeric_limits<lane_number>::max()} + std::size_t{1});

    [[gnu::always_inline]] static inline mask numbers_of_lanes() {
        mask lanes_of{};
        for (std::size_t j = 0; j < width; ++j) lanes_of[j] = static_cast<lane_number>(j);
        return lanes_of;
    }

    [[gnu::always_inline]] static inline vector load(const T* in) {
        vector v;
        std::memcpy(&v, in, sizeof v);
        if constexpr (std::is_same_v<T, bool>) v = v != 0 ? vector() + 1 : vector();
        return v;
    }
    /// Of two elements, or of each lane.
    template <class V>
    [[gnu::always_inline]] static inline V further(const V& x, const V& y) {
        if constexpr (Reversed)
            return x < y ? x : y;
        else
            return x > y ? x : y;
    }

    /// Whether any lane is set.
    [[gnu::always_inline]] static inline bool any(mask m) {
        std::uint64_t word[vector_bytes / sizeof(std::uint64_t)], all = 0;
        std::memcpy(word, &m, sizeof m);
        for (const std::uint64_t w : word) all |= w;
        return all != 0;
    }

    /// The extreme of fewer elements than a vector has, or a NaN if it has any.
    static element extreme_of_few(const T* in, std::size_t n) {
        element most = at(in, 0);
        for (std::size_t i = 1; i < n; ++i) {
            const element x = at(in, i);
            most = most != most ? most : x != x ? x : further(x, most);
        }
        return most;
    }

    /// The extreme of a part of at least Vectors * width elements, or a NaN if it has any. The last lanes may take in
    /// elements a second time.
    template <std::size_t Vectors>
    static element extreme_of(const T* in, std::size_t n) {
        constexpr std::size_t step = Vectors * width;
        vector most[Vectors];
        mask nan{};
        for (std::size_t j = 0; j < Vectors; ++j) {
            most[j] = load(in + j * width);
            nan |= most[j] != most[j];
        }
        const auto take = [&](const T* from) {
            for (std::size_t j = 0; j < Vectors; ++j) {
                const vector x = load(from + j * width);
                most[j] = further(x, most[j]);
                nan |= x != x;
            }
        };
        for (std::size_t i = step; i + step <= n; i += step) take(in + i);
        if (n % step != 0) take(in + n - step);
        if (std::is_floating_point_v<T> && any(nan)) return static_cast<element>(__builtin_nan(""));
        for (std::size_t j = 1; j < Vectors; ++j) most[0] = further(most[0], most[j]);
        return last_of(most[0]);
    }
    static element extreme(const T* in, std::size_t n) {
        return n >= lanes ? extreme_of<vectors>(in, n) : n >= width ? extreme_of<1>(in, n) : extreme_of_few(in, n);
    }

    /// The extreme of a vector's lanes.
    static element last_of(const vector& v) {
        element lane[width];
        std::memcpy(lane, &v, sizeof v);
        for (std::size_t half = width / 2; half > 0; half /= 2)
            for (std::size_t j = 0; j < half; ++j) lane[j] = further(lane[j], lane[j + half]);
        return lane[0];
    }

    /// The first position of an extreme of these n elements; its block is found by vectors.
    template <class Is>
    static std::size_t position_where(const T* in, std::size_t n, Is is) {
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes) {
            mask found{};
            for (std::size_t j = 0; j < vectors; ++j) found |= is(load(in + i + j * width));
            if (any(found)) break;
        }
        while (!is(static_cast<element>(at(in, i)))) ++i;
        return i;
    }
    static std::size_t position_of(element most, const T* in, std::size_t n) {
        if (most != most) return position_where(in, n, [](auto x) { return x != x; });
        return position_where(in, n, [most](auto x) { return x == most; });
    }

    /// The extreme of a vector's lanes, in all of them.
    template <class V, class Choose, std::size_t Distance = width / 2>
    [[gnu::always_inline]] static inline V spread(const V& v, Choose choose) {
        if constexpr (Distance == 0) {
            return v;
        } else {
            V other;
            [&]<std::size_t... Lane>(std::index_sequence<Lane...>) __attribute__((always_inline)) {
                other = __builtin_shufflevector(v, v, static_cast<int>((Lane + Distance) % width)...);
            }
            (std::make_index_sequence<width>());
            return spread<V, Choose, Distance / 2>(choose(v, other), choose);
        }
    }

    /// A row of at most `few` elements, without branches that depend on them: the extreme is compared with all of them,
    /// and the least position of an equal one is the first. Reads a whole vector even if the row has fewer elements.
    static void short_row(pair& best, const T* in, std::size_t n, std::int64_t first, std::int64_t step) {
        const mask lane = numbers_of_lanes(), none = lane - lane + static_cast<lane_number>(few - 1);
        const std::size_t last = n > width ? n - width : 0;
        const auto each = [&](auto use) __attribute__((always_inline)) {
            for (std::size_t i = 0; i < last; i += width) use(load(in + i), i);
            use(load(in + last), last);
        };
        vector most = load(in);
        if (n < width) most = lane < static_cast<lane_number>(n) ? most : most[0] - vector();
        mask nan = most != most;
        if (n > width)
            each([&](const vector& x, std::size_t) {
                most = further(x, most);
                nan |= x != x;
            });
        if (std::is_floating_point_v<T> && any(nan)) return row(best, in, n, first, step);
        most = spread(most, [](const vector& x, const vector& y) { return further(x, y); });
        mask at = none;
        each([&](const vector& x, std::size_t i) {
            const mask here = x == most ? lane + static_cast<lane_number>(i) : none;
            at = here < at ? here : at;
        });
        at = spread(at, [](const mask& x, const mask& y) { return x < y ? x : y; });
        const T extreme = static_cast<T>(static_cast<element>(most[0]));
        best = Accumulator::larger(
            best, Accumulator::template pair<T>(key_of(extreme), first + step * static_cast<std::int64_t>(at[0])));
    }

    static void row(pair& best, const T* in, std::size_t n, std::int64_t first, std::int64_t step) {
        element most = extreme(in, n < part ? n : part);
        std::size_t where = 0;
        for (std::size_t i = part; i < n; i += part) {
            const element x = extreme(in + i, n - i < part ? n - i : part);
            if (key_of(x) <= key_of(most)) continue;
            most = x;
            where = i;
        }
        if (key_of(most) < Accumulator::key_of(best)) return;
        where += position_of(most, in + where, n - where);
        best = Accumulator::larger(
            best, Accumulator::template pair<T>(key_of(most), first + step * static_cast<std::int64_t>(where)));
    }
};

template <bool Reversed, class Accumulator>
extreme_fold extreme_in(dtype type) {
    return detail::with_dtype(type, []<dtype D>() -> extreme_fold {
        using T = detail::number_t<D>;
        constexpr bool fits = std::is_same_v<Accumulator, apart> || size_of(D) <= 4;
        if constexpr (computes_in(dtype_rule::keyed, D) && fits)
            return extreme_of_rows<T, Reversed, Accumulator>::run;
        else
            return nullptr;
    });
}

}  // namespace

extreme_fold SINTER_FORM(extreme_loop)(const extreme_kind& kind, dtype type) {
    if (kind.packed) return kind.reversed ? extreme_in<true, packed>(type) : extreme_in<false, packed>(type);
    return kind.reversed ? extreme_in<true, apart>(type) : extreme_in<false, apart>(type);
}

}  // namespace sinter::codegen
