// Several kernels for one case: each is checked, timed and reported; the reader of the reports takes the fastest.
#pragma once

#include <bench/measure/arrays.hpp>
#include <bench/peers/hand/kernel.hpp>

namespace bench {

/// The elements of set i as a kernel parameter; the kernel's type may be float4*.
template <class T, int Rank>
void* data(const std::vector<sinter::array<T, Rank>>& sets, std::size_t i) {
    return sets[i].storage()->data;
}

inline long long blocks_for(long long items, long long a_block) { return (items + a_block - 1) / a_block; }

/// Throws unless `n` is a multiple of `of`: the kernels support only the benchmark's sizes.
inline void require_multiple(const trial& t, std::int64_t n, std::int64_t of) {
    if (n % of != 0)
        throw sinter::error(t.name + ": the hand-written kernels take multiples of " + std::to_string(of) + ", not " +
                            std::to_string(n));
}

inline void require_extent(const trial& t, std::int64_t n, std::int64_t wanted) {
    if (n != wanted)
        throw sinter::error(t.name + ": the hand-written kernels take an extent of " + std::to_string(wanted) +
                            " there, not " + std::to_string(n));
}

/// Results of one case, and reports of the kernels that compute it.
template <class T, int Rank>
class contest {
public:
    contest(const trial& t, const sinter::shape<Rank>& extents)
        : trial_(t), results_(t.sets, sinter::array<T, Rank>(extents)) {}

    /// Adds a kernel: `call(out, i)` launches it on operands i.
    template <class F>
    void enter(const kernel& k, std::string variant, F call, bool approximate = false, int launches = 1) {
        report r;
        r.variant = std::move(variant);
        r.approximate = approximate;
        r.launches = launches;
        r.detail = std::to_string(k.registers) + " registers, " + std::to_string(k.spilled_bytes) + " bytes spilled";
        stream_clock clock;
        measure(trial_, r, results_, clock, [&](std::size_t i) { call(data(results_, i), i); });
        print(trial_, r);
    }

private:
    const trial& trial_;
    std::vector<sinter::array<T, Rank>> results_;
};

}  // namespace bench
