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
    requires std::is_floating_point_v<T>
[[nodiscard]] auto uniform(const random_key& key, const shape<Rank>& extents) {
    constexpr int bits = sizeof(T) == 4 ? 24 : 53;
    constexpr T scale = T(1) / static_cast<T>(std::uint64_t{1} << bits);
    return astype<T>(detail::upper_bits(detail::random_words(key, extents), std::uint64_t{64 - bits})) * scale;
}

/// Normal with mean 0 and standard deviation 1, by the transform of Box and Muller ("A note on the generation of random
/// normal deviates", 1958).
template <element_type T = double, int Rank>
    requires std::is_floating_point_v<T>
[[nodiscard]] auto normal(const random_key& key, const shape<Rank>& extents) {
    const auto radius = uniform<T>(key.split(0), extents);
    const auto angle = uniform<T>(key.split(1), extents);
    // 1 - u lies in (0, 1], so that its logarithm is finite
    return sqrt(T(-2) * log(T(1) - radius)) * cos(T(6.283185307179586477) * angle);
}

/// Integers from `low` up to and without `high`, each as likely as the others up to one part in 2^64 / (high - low).
template <element_type T = std::int64_t, int Rank>
    requires std::is_integral_v<T>
[[nodiscard]] auto integers(const random_key& key, std::int64_t low, std::int64_t high, const shape<Rank>& extents) {
    if (high <= low) detail::throw_bad_integer_range(low, high);
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto word = detail::random_words(key, extents);
    return astype<T>(detail::multiply_high(word, span) + static_cast<std::uint64_t>(low));
}

/// True with probability p.
template <int Rank>
[[nodiscard]] auto bernoulli(const random_key& key, double p, const shape<Rank>& extents) {
    return uniform<double>(key, extents) < p;
}

template <element_type T = double, std::integral I, std::size_t N>
[[nodiscard]] auto uniform(const random_key& key, const I (&extents)[N]) {
    return uniform<T>(key, shape<static_cast<int>(N)>(extents));
}
template <element_type T = double, std::integral I, std::size_t N>
[[nodiscard]] auto normal(const random_key& key, const I (&extents)[N]) {
    return normal<T>(key, shape<static_cast<int>(N)>(extents));
}
template <element_type T = std::int64_t, std::integral I, std::size_t N>
[[nodiscard]] auto integers(const random_key& key, std::int64_t low, std::int64_t high, const I (&extents)[N]) {
    return integers<T>(key, low, high, shape<static_cast<int>(N)>(extents));
}
template <std::integral I, std::size_t N>
[[nodiscard]] auto bernoulli(const random_key& key, double p, const I (&extents)[N]) {
    return bernoulli(key, p, shape<static_cast<int>(N)>(extents));
}

}  // namespace sinter
