// Random numbers as expressions: element i of a result depends only on the key and i, so it is independent of device,
// order and fusion. The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011).
#pragma once

#include <sinter/generate.hpp>
#include <sinter/op/define.hpp>
#include <sinter/reshape.hpp>

namespace sinter {

/// The seed of a stream of random numbers. Equal keys give equal numbers; split() gives keys with independent numbers.
struct random_key {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;

    constexpr random_key() = default;
    constexpr explicit random_key(std::uint64_t s) : seed(s) {}
    constexpr random_key(std::uint64_t s, std::uint64_t of_stream) : seed(s), stream(of_stream) {}

    /// The n-th key that this one splits into. Mixes with the finaliser of SplitMix64 (Steele, Lea and Flood,
    /// "Fast splittable pseudorandom number generators", OOPSLA 2014).
    [[nodiscard]] constexpr random_key split(std::uint64_t n) const {
        std::uint64_t z = stream + (n + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return {seed, z ^ (z >> 31)};
    }
};

namespace detail {

/// Word x % 4 (32 bits) of the Philox4x32-10 block with counter x / 4, and y in its upper half, under key z.
SINTER_TERNARY(random_word, integral, [](unsigned long long place, unsigned long long stream, unsigned long long seed) {
    unsigned c0 = unsigned(place >> 2), c1 = unsigned(place >> 34);
    unsigned c2 = unsigned(stream), c3 = unsigned(stream >> 32);
    unsigned k0 = unsigned(seed), k1 = unsigned(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p0 = 0xd2511f53ull * c0, p1 = 0xcd9e8d57ull * c2;
        c0 = unsigned(p1 >> 32) ^ c1 ^ k0;
        c2 = unsigned(p0 >> 32) ^ c3 ^ k1;
        c1 = unsigned(p1);
        c3 = unsigned(p0);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return T(place & 2 ? (place & 1 ? c3 : c2) : (place & 1 ? c1 : c0));
}(x, y, z))

// Indices within pairs, and parts of random bits. Constants are in the bodies, so that compilers can fold them.
SINTER_UNARY(first_of_pair, integral, x ^ (x & T(1)))
SINTER_UNARY(second_of_pair, integral, x | T(1))
SINTER_UNARY(place_in_pair, integral, x& T(1))
SINTER_UNARY(upper_24_of_32, integral, x >> 8)
SINTER_UNARY(upper_53_of_64, integral, x >> 11)
SINTER_BINARY(word_pair, integral, T((unsigned long long)(y) << 32 | (unsigned long long)(x)))

/// The upper 64 of the 128 bits of x * y.
SINTER_BINARY(multiply_high, integral, [](unsigned long long a, unsigned long long b) {
    const unsigned long long low = (a & 0xffffffffu) * (b & 0xffffffffu);
    const unsigned long long left = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    const unsigned long long right = (a & 0xffffffffu) * (b >> 32) + (left & 0xffffffffu);
    return T((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32));
}(x, y))

/// The image of x in a permutation of 0 to y - 1 chosen by key z: a Feistel network on the bits of y - 1, at least
/// eight, applied until the result is below y ("cycle walking"). Each round multiplies as Philox does: Mitchell,
/// Stokes, Frank and Holmes, "Bandwidth-optimal random shuffling for GPUs", ACM TOPC 9(1), 2022.
SINTER_TERNARY(permuted_place, integral,
               [](unsigned long long place, unsigned long long count, unsigned long long key) {
                   int bits = 8;
                   while (bits < 64 && (count - 1) >> bits != 0) ++bits;
                   const int left_bits = bits / 2, right_bits = bits - left_bits;
                   const unsigned long long left_mask = (1ull << left_bits) - 1, right_mask = (1ull << right_bits) - 1;
                   do {
                       unsigned long long left = place >> right_bits, right = place & right_mask, round_key = key;
                       for (int round = 0; round < 24; ++round) {
                           const unsigned long long product = 0xd2b74407b1ce6e93ull * left;
                           round_key = round_key * 6364136223846793005ull + 1442695040888963407ull;
                           const unsigned long long low = product << (right_bits - left_bits) & right_mask;
                           left = ((product >> 32) ^ (round_key >> 32) ^ right) & left_mask;
                           right = (low | right >> left_bits) & right_mask;
                       }
                       place = left << right_bits | right;
                   } while (place >= count);
                   return T(place);
               }(x, y, z))

/// The type of random fractions: T, float or double.
template <class T>
struct random_float {
    static_assert(std::is_floating_point_v<T>,
                  "sinter: uniform and normal numbers are float or double: astype<T>(uniform<float>(key, {3, 4})), or "
                  "integers<int>(key, low, high, {3, 4})");
    using type = std::conditional_t<std::is_floating_point_v<T>, T, float>;
};

[[noreturn]] void throw_bad_integer_range(std::int64_t low, std::int64_t high);

/// The row-major element indices: 0, 1, 2 ... of an array that `function` generates.
template <int Rank>
auto random_places(const char* function, const shape<Rank>& extents) {
    return astype<std::uint64_t>(index_along<1>(0, checked_size(function, extents.extent, Rank)));
}

/// The random bits of one key.
class random_source {
public:
    explicit random_source(const random_key& key)
        : stream_(to_dtype<dtype::uint64>(key.stream)), seed_(to_dtype<dtype::uint64>(key.seed)) {}

    /// 32 bits, as a uint64; four consecutive indices share a Philox block.
    template <class Places>
    auto word(const Places& place) const {
        return random_word(place, stream_, seed_);
    }
    /// 64 bits; two consecutive indices share a Philox block.
    template <class Places>
    auto two_words(const Places& place) const {
        const auto first = place + place;
        return word_pair(word(first), word(second_of_pair(first)));
    }
    /// The upper 24 or 53 bits, as a number of type F.
    template <class F, class Places>
    auto fraction_bits(const Places& place) const {
        if constexpr (sizeof(F) == 4)
            return astype<F>(upper_24_of_32(astype<std::uint32_t>(word(place))));
        else
            return astype<F>(upper_53_of_64(two_words(place)));
    }

private:
    // one scalar node each: separate copies would become separate kernel arguments
    expr<tree::scalar<dtype::uint64>> stream_, seed_;
};

/// Scales random_source::fraction_bits to [0, 1).
template <class F>
inline constexpr F fraction_scale = F(1) / static_cast<F>(std::uint64_t{1} << (sizeof(F) == 4 ? 24 : 53));

}  // namespace detail

/// Uniform in [0, 1): 24 random bits for float, 53 for double.
template <element_type T = double, int Rank>
[[nodiscard]] auto uniform(const random_key& key, const shape<Rank>& extents) {
    using F = typename detail::random_float<T>::type;
    const auto bits = detail::random_source(key).fraction_bits<F>(detail::random_places("uniform", extents));
    return reshape(bits * detail::fraction_scale<F>, extents);
}

/// Normal with mean 0 and standard deviation 1, by the Box-Muller transform ("A note on the generation of random normal
/// deviates", 1958): two consecutive elements are the cosine and sine parts of one radius and angle. The tails reach to
/// 6.7 for float and to 8.5 for double.
template <element_type T = double, int Rank>
[[nodiscard]] auto normal(const random_key& key, const shape<Rank>& extents) {
    using F = typename detail::random_float<T>::type;
    constexpr F scale = detail::fraction_scale<F>;
    const detail::random_source bits(key);
    const auto place = detail::random_places("normal", extents);
    const auto first = detail::first_of_pair(place);
    // in (0, 1], so that the logarithm is finite; float uses all 32 bits for resolution near 0
    const auto chance = [&] {
        if constexpr (sizeof(F) == 4)
            return astype<F>(astype<std::uint32_t>(bits.word(first))) * (scale / 256) + scale / 512;
        else
            return bits.fraction_bits<F>(first) * scale + scale;
    }();
    const auto half_turns = bits.fraction_bits<F>(detail::second_of_pair(place)) * (2 * scale);
    // sin(angle) = cos(angle - quarter turn)
    const auto quarter = astype<F>(detail::place_in_pair(place)) * F(0.5);
    return reshape(sqrt(F(-2) * log(chance)) * cospi(half_turns - quarter), extents);
}

/// Integers from `low` up to but excluding `high`, uniform up to a bias of (high - low) / 2^64. Throws if the dtype
/// cannot represent all of them.
template <element_type T = std::int64_t, int Rank>
[[nodiscard]] auto integers(const random_key& key, std::int64_t low, std::int64_t high, const shape<Rank>& extents) {
    static_assert(std::is_integral_v<T>,
                  "sinter: integers makes an integer type: integers<int>(key, low, high, {3}); for floating numbers "
                  "write uniform<float>(key, {3})");
    if (high <= low) detail::throw_bad_integer_range(low, high);
    if (!detail::holds<dtype_of<T>>(low) || !detail::holds<dtype_of<T>>(high - 1)) [[unlikely]]
        detail::throw_scalar_does_not_fit(
            "integers", detail::number_value(detail::holds<dtype_of<T>>(low) ? high - 1 : low), dtype_of<T>);
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto bits = detail::random_source(key).two_words(detail::random_places("integers", extents));
    return reshape(astype<T>(detail::multiply_high(bits, span) + static_cast<std::uint64_t>(low)), extents);
}

/// True with probability p, rounded to a multiple of 2^-32; false if p is NaN.
template <int Rank>
[[nodiscard]] auto bernoulli(const random_key& key, double p, const shape<Rank>& extents) {
    constexpr double words = 4294967296.0;
    const std::uint64_t least = p >= 1  ? std::uint64_t{1} << 32
                                : p > 0 ? static_cast<std::uint64_t>(p * words + 0.5)
                                        : 0;
    return reshape(detail::random_source(key).word(detail::random_places("bernoulli", extents)) < least, extents);
}

/// A permutation of the numbers 0 to n - 1, as int64, chosen by the key. Each element is computed independently,
/// without sorting or storage. The key is condensed to 64 bits: from 21 elements on, only 2^64 of the n! permutations
/// can occur, and the choice is not cryptographically secure.
[[nodiscard]] inline auto permutation(const random_key& key, std::int64_t n) {
    if (n < 0) detail::throw_bad_count("permutation", n);
    const std::uint64_t condensed = random_key(key.seed, key.stream ^ key.split(key.seed).stream).split(n).stream;
    const auto place = astype<std::uint64_t>(detail::index_along<1>(0, n));
    return astype<std::int64_t>(detail::permuted_place(place, static_cast<std::uint64_t>(n), condensed));
}

/// Shuffles the elements along one axis, in the order of permutation(key, extent).
template <operand A>
[[nodiscard]] auto shuffle(const random_key& key, A&& a, detail::runtime_axes<1> which) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const int chosen = __builtin_ctz(detail::axis_mask("shuffle", which, rank));
    const std::int64_t n = a.shape().extent[chosen];
    return detail::along(std::forward<A>(a), chosen, n, detail::spread<rank>(permutation(key, n), &chosen));
}
template <operand A>
[[nodiscard]] auto shuffle(const random_key& key, A&& a) {
    return shuffle(key, std::forward<A>(a), axis=0);
}

template <element_type T = double, int N>
[[nodiscard]] auto uniform(const random_key& key, const detail::braced<N>& extents) {
    return uniform<T>(key, shape<N>(extents));
}
template <element_type T = double, int N>
[[nodiscard]] auto normal(const random_key& key, const detail::braced<N>& extents) {
    return normal<T>(key, shape<N>(extents));
}
template <element_type T = std::int64_t, int N>
[[nodiscard]] auto integers(const random_key& key, std::int64_t low, std::int64_t high,
                            const detail::braced<N>& extents) {
    return integers<T>(key, low, high, shape<N>(extents));
}
template <int N>
[[nodiscard]] auto bernoulli(const random_key& key, double p, const detail::braced<N>& extents) {
    return bernoulli(key, p, shape<N>(extents));
}

}  // namespace sinter
