// Folds of elements beside their indices, for one instruction set: the greatest key of a part of a row, by vectors, and
// then its first position. Compiled once per instruction set, which SINTER_ISA names.
#include <codegen/rows/extremes.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/loops.hpp>

#include <type_traits>

namespace sinter::codegen {
namespace {

using detail::number::keyed_index;

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
        for (std::size_t r = 0; r < rows; ++r) row(best[r], in + r * n, n, first, step);
    }

private:
    using pair = typename Accumulator::type;
    static constexpr std::size_t lanes = sizeof(T) >= 4 ? 256 / sizeof(T) : 64;
    static constexpr std::size_t part = 1024;  // elements: worth their start, and soon searched

    [[gnu::always_inline]] static inline T at(const T* in, std::size_t i) { return detail::load_element(in, i); }
    [[gnu::always_inline]] static inline std::uint64_t key_of(T x) {
        return Reversed ? detail::number::reversed_key<T>(x) : detail::number::order_key<T>(x);
    }
    [[gnu::always_inline]] static inline T further(T x, T y) { return (Reversed ? x < y : x > y) ? x : y; }

    static void columns(pair* best, const T* in, std::size_t columns, std::int64_t index) {
        SINTER_DETAIL_IVDEP
        for (std::size_t c = 0; c < columns; ++c)
            best[c] = Accumulator::larger(best[c], Accumulator::template pair<T>(key_of(at(in, c)), index));
    }

    [[gnu::always_inline]] static inline bool has_nan([[maybe_unused]] const T* in, [[maybe_unused]] std::size_t n) {
        if constexpr (std::is_floating_point_v<T>) {
            std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> any = 0;
            for (std::size_t i = 0; i < n; ++i) any |= in[i] != in[i];
            return any != 0;
        } else {
            return false;
        }
    }

    /// The extreme of a part, or a NaN if it has any. The last lanes may take in elements a second time.
    static T extreme(const T* in, std::size_t n) {
        if (has_nan(in, n)) return static_cast<T>(__builtin_nan(""));
        T lane[lanes];
        for (std::size_t j = 0; j < lanes; ++j) lane[j] = at(in, j < n ? j : 0);
        if (n > lanes) {
            for (std::size_t i = lanes; i + lanes <= n; i += lanes)
                for (std::size_t j = 0; j < lanes; ++j) lane[j] = further(at(in, i + j), lane[j]);
            for (std::size_t j = 0; j < lanes; ++j) lane[j] = further(at(in, n - lanes + j), lane[j]);
        }
        for (std::size_t width = lanes / 2; width > 0; width /= 2)
            for (std::size_t j = 0; j < width; ++j) lane[j] = further(lane[j], lane[j + width]);
        return lane[0];
    }

    [[gnu::always_inline]] static inline bool is_extreme(T x, T most) { return x == most || (most != most && x != x); }

    /// The first position of an extreme of these n elements; its block is found by vectors.
    static std::size_t position_of(T most, const T* in, std::size_t n) {
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes) {
            std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> any = 0;
            for (std::size_t j = 0; j < lanes; ++j) any |= is_extreme(at(in, i + j), most);
            if (any != 0) break;
        }
        while (!is_extreme(at(in, i), most)) ++i;
        return i;
    }

    static void row(pair& best, const T* in, std::size_t n, std::int64_t first, std::int64_t step) {
        T most = extreme(in, n < part ? n : part);
        std::size_t where = 0;
        for (std::size_t i = part; i < n; i += part) {
            const T x = extreme(in + i, n - i < part ? n - i : part);
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
