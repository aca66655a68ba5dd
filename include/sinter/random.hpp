// Random numbers as expressions: element i of a result depends on the key and on i alone, so they are the same on every
// device, in every order, and however the expression is fused. The generator is Philox4x32-10 (Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#pragma once

#include <sinter/generate.hpp>
#include <sinter/op/define.hpp>
#include <sinter/reshape.hpp>

namespace sinter {

/// Where a stream of random numbers starts. The same key gives the same numbers; split() gives keys whose numbers have
/// nothing to do with each other.
struct random_key {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;

    constexpr random_key() = default;
    constexpr explicit random_key(std::uint64_t s) : seed(s) {}
    constexpr random_key(std::uint64_t s, std::uint64_t of_stream) : seed(s), stream(of_stream) {}

    /// The n-th of the keys that this one splits into. Mixes by the finaliser of SplitMix64 (Steele, Lea and Flood,
    /// "Fast splittable pseudorandom number generators", OOPSLA 2014).
    [[nodiscard]] constexpr random_key split(std::uint64_t n) const {
        std::uint64_t z = stream + (n + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return {seed, z ^ (z >> 31)};
    }
};

namespace detail {

/// The first 64 bits of the Philox4x32-10 block whose counter is x and, in its upper half, y, under the key z.
SINTER_TERNARY(random_bits, integral, [](unsigned long long place, unsigned long long stream, unsigned long long seed) {
    unsigned c0 = unsigned(place), c1 = unsigned(place >> 32);
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
    return T((unsigned long long)(c1) << 32 | c0);
}(x, y, z))

SINTER_BINARY(upper_bits, integral, x >> y)

/// The upper half of the 128 bits of x * y.
SINTER_BINARY(multiply_high, integral, [](unsigned long long a, unsigned long long b) {
    const unsigned long long low = (a & 0xffffffffu) * (b & 0xffffffffu);
    const unsigned long long left = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    const unsigned long long right = (a & 0xffffffffu) * (b >> 32) + (left & 0xffffffffu);
    return T((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32));
}(x, y))

/// Where x goes in a permutation of 0 to y - 1 that the key z picks: a Feistel network over as few bits as hold y
/// numbers, but at least eight, applied until the result is below y ("cycle walking"). Each round multiplies as Philox
/// does: Mitchell, Stokes, Frank and Holmes, "Bandwidth-optimal random shuffling for GPUs", ACM TOPC 9(1), 2022.
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

/// The type of random fractions: T, which must be float or double.
template <class T>
struct random_float {
    static_assert(std::is_floating_point_v<T>,
                  "sinter: uniform and normal numbers are float or double: astype<T>(uniform<float>(key, {3, 4})), or "
                  "integers<int>(key, low, high, {3, 4})");
    using type = std::conditional_t<std::is_floating_point_v<T>, T, float>;
};

[[noreturn]] void throw_bad_integer_range(std::int64_t low, std::int64_t high);

/// 64 random bits an element: the first half of the Philox block whose counter is the element's place and the stream.
template <int Rank>
auto random_words(const random_key& key, const shape<Rank>& extents) {
    const auto place = astype<std::uint64_t>(index_along<1>(0, extents.size()));
    return reshape(random_bits(place, key.stream, key.seed), extents);
}

}  // namespace detail

/// Uniform in [0, 1): 24 random bits for float, 53 for double.
template <element_type T = double, int Rank>
[[nodiscard]] auto uniform(const random_key& key, const shape<Rank>& extents) {
    using F = typename detail::random_float<T>::type;
    constexpr int bits = sizeof(F) == 4 ? 24 : 53;
    constexpr F scale = F(1) / static_cast<F>(std::uint64_t{1} << bits);
    return astype<F>(detail::upper_bits(detail::random_words(key, extents), std::uint64_t{64 - bits})) * scale;
}

/// Normal with mean 0 and standard deviation 1, by the transform of Box and Muller ("A note on the generation of random
/// normal deviates", 1958).
template <element_type T = double, int Rank>
[[nodiscard]] auto normal(const random_key& key, const shape<Rank>& extents) {
    using F = typename detail::random_float<T>::type;
    const auto radius = uniform<F>(key.split(0), extents);
    const auto angle = uniform<F>(key.split(1), extents);
    // 1 - u lies in (0, 1], so that its logarithm is finite
    return sqrt(F(-2) * log(F(1) - radius)) * cos(F(6.283185307179586477) * angle);
}

/// Integers from `low` up to and without `high`, each as likely as the others up to one part in 2^64 / (high - low).
/// Throws where the dtype does not hold all of them.
template <element_type T = std::int64_t, int Rank>
[[nodiscard]] auto integers(const random_key& key, std::int64_t low, std::int64_t high, const shape<Rank>& extents) {
    static_assert(
        std::is_integral_v<T>,
        "sinter: integers are of an integer type: integers<int>(key, low, high, {3}); uniform<float>(key, {3}) "
        "gives fractions");
    if (high <= low) detail::throw_bad_integer_range(low, high);
    if (!detail::holds<dtype_of<T>>(low) || !detail::holds<dtype_of<T>>(high - 1)) [[unlikely]]
        detail::throw_scalar_does_not_fit(
            "integers", detail::number_value(detail::holds<dtype_of<T>>(low) ? high - 1 : low), dtype_of<T>);
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto word = detail::random_words(key, extents);
    return astype<T>(detail::multiply_high(word, span) + static_cast<std::uint64_t>(low));
}

/// True with probability p.
template <int Rank>
[[nodiscard]] auto bernoulli(const random_key& key, double p, const shape<Rank>& extents) {
    return uniform<double>(key, extents) < p;
}

/// The numbers 0 to n - 1, as int64, in an order that the key picks. Element i is worked out by itself, so that there
/// is nothing to sort and to store. The key is condensed to 64 bits: of the n! orders there are at most 2^64 from 21
/// elements on, and which is picked is no secret.
[[nodiscard]] inline auto permutation(const random_key& key, std::int64_t n) {
    if (n < 0) detail::throw_bad_count("permutation", n);
    const std::uint64_t condensed = random_key(key.seed, key.stream ^ key.split(key.seed).stream).split(n).stream;
    const auto place = astype<std::uint64_t>(detail::index_along<1>(0, n));
    return astype<std::int64_t>(detail::permuted_place(place, static_cast<std::uint64_t>(n), condensed));
}

/// The operand with the elements along one axis in an order that the key picks: that of permutation(key, extent).
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
