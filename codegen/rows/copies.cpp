// Copies of planes for one instruction set: along lines, transposed, and between interleaved and separate channels.
// Compiled once per instruction set, which SINTER_ISA names.
#include <codegen/rows/copies.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/loops.hpp>

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sinter::codegen {
namespace {

template <int Words>
struct words {
    std::uint64_t word[Words];
};

/// Copies between arrays that do not overlap. glibc copies more than a few KB by `rep movsb`, which takes ten times as
/// long on AMD's processors if the last 12 bits of `to` are a little greater than those of `from` (glibc bug 30994): a
/// shift by one element between two arrays that begin at pages.
void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
    constexpr std::size_t step = 4 * sizeof(__m128i);
    while (bytes >= step) {
        const auto* const in = reinterpret_cast<const __m128i*>(from);
        auto* const out = reinterpret_cast<__m128i*>(to);
        const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
        const __m128i c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
        _mm_storeu_si128(out, a);
        _mm_storeu_si128(out + 1, b);
        _mm_storeu_si128(out + 2, c);
        _mm_storeu_si128(out + 3, d);
        to += step;
        from += step;
        bytes -= step;
    }
#endif
    std::memcpy(to, from, bytes);
}

template <class U>
class copy_of {
public:
    static void plane(std::byte* to, pitch t, const std::byte* from, pitch f, std::int64_t groups, std::int64_t trips) {
        if (trips == 1) return line(to, t.group, from, f.group, groups);
        if (groups == 1) return line(to, t.trip, from, f.trip, trips);
        if (trips <= most_channels && t.trip == size && t.group == trips * size && f.group == size)
            return interleave(to, from, f.trip, groups, trips);
        if (groups <= most_channels && t.group == size && t.trip == groups * size && f.trip == size)
            return interleave(to, from, f.group, trips, groups);
        if (groups <= most_channels && f.group == size && f.trip == groups * size && t.trip == size)
            return separate(to, t.group, from, trips, groups);
        if (trips <= most_channels && f.trip == size && f.group == trips * size && t.group == size)
            return separate(to, t.trip, from, groups, trips);
        if (t.trip == size && f.group == size && f.trip != size && f.trip != 0)
            return transpose(to, t.group, from, f.trip, groups, trips);
        if (t.group == size && f.trip == size && f.group != size && f.group != 0)
            return transpose(to, t.trip, from, f.group, trips, groups);
        if (std::min(trips, groups) <= most_channels && rearrange_plane(to, t, from, f, groups, trips)) return;
        if (trips >= 8 || trips >= groups)
            for (std::int64_t r = 0; r < groups; ++r) line(to + r * t.group, t.trip, from + r * f.group, f.trip, trips);
        else
            for (std::int64_t k = 0; k < trips; ++k) line(to + k * t.trip, t.group, from + k * f.trip, f.group, groups);
    }

private:
    static constexpr std::int64_t size = sizeof(U);
    static constexpr std::int64_t most_channels = 4;

    static const U* at(const std::byte* from, std::int64_t offset) { return reinterpret_cast<const U*>(from + offset); }
    static U* at(std::byte* to, std::int64_t offset) { return reinterpret_cast<U*>(to + offset); }

    /// Constant strides, which compilers vectorise.
    template <std::int64_t Stride>
    static void strided(U* out, const U* in, std::int64_t n) {
        SINTER_DETAIL_IVDEP
        for (std::int64_t i = 0; i < n; ++i) out[i] = in[Stride * i];
    }

    static void line(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                     std::int64_t n) {
        U* const out = at(to, 0);
        const U* const in = at(from, 0);
        if (to_stride == size) {
            switch (from_stride / size) {
                case 1:
                    if (to != from) copy_run(to, from, static_cast<std::size_t>(n) * sizeof(U));
                    return;
                case 0: return void(std::fill_n(out, n, *in));
                case -1: return strided<-1>(out, in, n);
                case 2: return strided<2>(out, in, n);
                case 3: return strided<3>(out, in, n);
                case 4: return strided<4>(out, in, n);
                default: break;
            }
        }
        for (std::int64_t i = 0; i < n; ++i) *at(to, i * to_stride) = *at(from, i * from_stride);
    }

    /// to[i][c] = from_c[i], for a few channels c, `apart` bytes from each other; 0 repeats each element.
    template <std::int64_t Channels>
    static void interleave_of(U* out, const std::byte* from, std::int64_t apart, std::int64_t n) {
        const U *const a = at(from, 0), *const b = at(from, apart), *const c = at(from, Channels > 2 ? 2 * apart : 0),
                       *const d = at(from, Channels > 3 ? 3 * apart : 0);
        SINTER_DETAIL_IVDEP
        for (std::int64_t i = 0; i < n; ++i) {
            out[Channels * i] = a[i];
            out[Channels * i + 1] = b[i];
            if constexpr (Channels > 2) out[Channels * i + 2] = c[i];
            if constexpr (Channels > 3) out[Channels * i + 3] = d[i];
        }
    }
    static void interleave(std::byte* to, const std::byte* from, std::int64_t apart, std::int64_t n,
                           std::int64_t channels) {
        if (channels == 2) return interleave_of<2>(at(to, 0), from, apart, n);
        if (channels == 3) return interleave_of<3>(at(to, 0), from, apart, n);
        interleave_of<4>(at(to, 0), from, apart, n);
    }

    /// to_c[i] = from[i][c], for a few channels c, `apart` bytes from each other.
    template <std::int64_t Channels>
    static void separate_to(std::byte* to, std::int64_t apart, const U* in, std::int64_t n) {
        U *const a = at(to, 0), *const b = at(to, apart), *const c = at(to, Channels > 2 ? 2 * apart : 0),
                 *const d = at(to, Channels > 3 ? 3 * apart : 0);
        SINTER_DETAIL_IVDEP
        for (std::int64_t i = 0; i < n; ++i) {
            a[i] = in[Channels * i];
            b[i] = in[Channels * i + 1];
            if constexpr (Channels > 2) c[i] = in[Channels * i + 2];
            if constexpr (Channels > 3) d[i] = in[Channels * i + 3];
        }
    }
    static void separate(std::byte* to, std::int64_t apart, const std::byte* from, std::int64_t n,
                         std::int64_t channels) {
        if (channels == 2) return separate_to<2>(to, apart, at(from, 0), n);
        if (channels == 3) return separate_to<3>(to, apart, at(from, 0), n);
        separate_to<4>(to, apart, at(from, 0), n);
    }

    /// to[i][c] = from[i][c], or from[i][Channels - 1 - c] if reversed, where `from` has Pitch channels.
    template <int Channels, int Pitch, bool IsReversed>
    static void rearrange_of(U* out, const U* in, std::int64_t n) {
        SINTER_DETAIL_IVDEP
        for (std::int64_t i = 0; i < n; ++i) {
            out[Channels * i] = in[Pitch * i + (IsReversed ? Channels - 1 : 0)];
            out[Channels * i + 1] = in[Pitch * i + (IsReversed ? Channels - 2 : 1)];
            if constexpr (Channels > 2) out[Channels * i + 2] = in[Pitch * i + (IsReversed ? Channels - 3 : 2)];
            if constexpr (Channels > 3) out[Channels * i + 3] = in[Pitch * i + (IsReversed ? Channels - 4 : 3)];
        }
    }
    template <int Channels, int Pitch>
    static bool rearrange_from(std::byte* to, const std::byte* from, std::int64_t apart, std::int64_t n) {
        if (apart == size) return rearrange_of<Channels, Pitch, false>(at(to, 0), at(from, 0), n), true;
        rearrange_of<Channels, Pitch, true>(at(to, 0), at(from, (1 - Channels) * size), n);
        return true;
    }
    /// Interleaved channels from interleaved ones: the first few of them, or all in reverse order. `apart`: bytes
    /// between channels of `from`; `pitch`: between its pixels. Returns false if there are no such loops.
    static bool rearrange(std::byte* to, const std::byte* from, std::int64_t apart, std::int64_t pitch, std::int64_t n,
                          std::int64_t channels) {
        if ((apart != size && apart != -size) || pitch < channels * size || pitch > most_channels * size) return false;
        switch (10 * channels + pitch / size) {
            case 22: return rearrange_from<2, 2>(to, from, apart, n);
            case 23: return rearrange_from<2, 3>(to, from, apart, n);
            case 24: return rearrange_from<2, 4>(to, from, apart, n);
            case 33: return rearrange_from<3, 3>(to, from, apart, n);
            case 34: return rearrange_from<3, 4>(to, from, apart, n);
            case 44: return rearrange_from<4, 4>(to, from, apart, n);
            default: return false;
        }
    }

    /// Not inlined: g++ would call what copies lines, of which some are short.
    [[gnu::noinline]] static bool rearrange_plane(std::byte* to, pitch t, const std::byte* from, pitch f,
                                                  std::int64_t groups, std::int64_t trips) {
        if (trips <= most_channels && t.trip == size && t.group == trips * size)
            return rearrange(to, from, f.trip, f.group, groups, trips);
        return groups <= most_channels && t.group == size && t.trip == groups * size &&
               rearrange(to, from, f.group, f.trip, trips, groups);
    }

    static constexpr int side = size <= 8 ? static_cast<int>(16 / size) : 1;  // of a tile: a vector of 16 bytes

    /// A tile of `side` rows: in log2(side) steps, each of which interleaves the rows of both halves.
    static void transpose_tile(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row) {
        if constexpr (side == 1) {
            *at(to, 0) = *at(from, 0);
        } else {
            using vector [[gnu::vector_size(16)]] = U;
            vector row[side], next[side];
            for (int i = 0; i < side; ++i) std::memcpy(&row[i], from + i * from_row, sizeof(vector));
            for (int steps = side; steps > 1; steps /= 2) {
                for (int i = 0; i < side / 2; ++i) {
                    next[2 * i] = low_halves(row[i], row[i + side / 2]);
                    next[2 * i + 1] = high_halves(row[i], row[i + side / 2]);
                }
                for (int i = 0; i < side; ++i) row[i] = next[i];
            }
            for (int i = 0; i < side; ++i) std::memcpy(to + i * to_row, &row[i], sizeof(vector));
        }
    }
    template <class V>
    [[gnu::always_inline]] static inline V low_halves(const V& a, const V& b) {
        if constexpr (size == 8) return __builtin_shufflevector(a, b, 0, 2);
        if constexpr (size == 4) return __builtin_shufflevector(a, b, 0, 4, 1, 5);
        if constexpr (size == 2) return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        if constexpr (size == 1)
            return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    }
    template <class V>
    [[gnu::always_inline]] static inline V high_halves(const V& a, const V& b) {
        if constexpr (size == 8) return __builtin_shufflevector(a, b, 1, 3);
        if constexpr (size == 4) return __builtin_shufflevector(a, b, 2, 6, 3, 7);
        if constexpr (size == 2) return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
        if constexpr (size == 1)
            return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }

    /// to[r][c] = from[c][r], in bands of rows that are a cache line of `from`: each of its lines is read once.
    static void transpose(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                          std::int64_t rows, std::int64_t columns) {
        constexpr std::int64_t band = std::max<std::int64_t>(64 / size, side);
        for (std::int64_t first = 0; first < rows; first += band) {
            const std::int64_t end = std::min(rows, first + band), whole = first + (end - first) / side * side;
            std::int64_t c = 0;
            for (; c + side <= columns; c += side) {
                for (std::int64_t r = first; r < whole; r += side)
                    transpose_tile(to + r * to_row + c * size, to_row, from + c * from_row + r * size, from_row);
                for (std::int64_t k = c; k < c + side; ++k)
                    for (std::int64_t r = whole; r < end; ++r)
                        *at(to, r * to_row + k * size) = *at(from, k * from_row + r * size);
            }
            for (; c < columns; ++c)
                for (std::int64_t r = first; r < end; ++r)
                    *at(to, r * to_row + c * size) = *at(from, c * from_row + r * size);
        }
    }
};

}  // namespace

plane_copy SINTER_FORM(plane_copy_loop)(std::size_t element_size) {
    switch (element_size) {
        case 1: return copy_of<std::uint8_t>::plane;
        case 2: return copy_of<std::uint16_t>::plane;
        case 4: return copy_of<std::uint32_t>::plane;
        case 8: return copy_of<std::uint64_t>::plane;
        case 16: return copy_of<words<2>>::plane;
        default: return copy_of<words<4>>::plane;
    }
}

}  // namespace sinter::codegen
