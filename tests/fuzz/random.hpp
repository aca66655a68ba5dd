// The fuzzer's source of chance: one 64-bit seed gives the same graph on every machine and with every compiler, which
// the standard library's distributions do not promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace sinter::fuzz {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class random {
public:
    explicit random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    /// 0 to n - 1; n must be positive.
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); }
    /// Both ends may be drawn.
    std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
    bool percent(int chance) { return below(100) < chance; }
    /// In [0, 1), 53 bits of it.
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
    }
    template <class T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<std::int64_t>(from.size()))];
    }

private:
    std::uint64_t state_;
};

}  // namespace sinter::fuzz
