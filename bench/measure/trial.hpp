// One case of a benchmark program: its specification, its random operands, and the line that reports it.
#pragma once

#include <bench/measure/data.hpp>
#include <bench/measure/timing.hpp>
#include <sinter/error.hpp>
#include <sinter/shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// A case's specification: NAME:EXTENTS:LOW:HIGH:SETS, as in softmax.float32:8192x4096:-2:2:2. Operands are uniform in
/// [LOW, HIGH); SETS copies of them, used in turn, exceed the last-level cache.
struct trial {
    std::string spec;  ///< as it was asked for
    std::string name;
    std::vector<std::int64_t> dimensions;
    double low = 0, high = 1;
    std::size_t sets = 1;
    bool once = false;  ///< see time_calls

    /// The extents. Throws unless there are `Rank` of them.
    template <int Rank>
    sinter::shape<Rank> extents() const {
        if (dimensions.size() != Rank)
            throw sinter::error(name + ": takes " + std::to_string(Rank) + " extents, as in " + name + ":" +
                                (Rank == 1   ? "1000"
                                 : Rank == 2 ? "100x1000"
                                             : "10x100x1000") +
                                ":-2:2:1");
        sinter::shape<Rank> s;
        for (int a = 0; a < Rank; ++a) s.extent[a] = dimensions[static_cast<std::size_t>(a)];
        return s;
    }

    /// The elements of operand `seed`; 16-bit elements are rounded from float, in every language.
    template <class T>
    std::vector<T> operand(std::uint32_t seed, std::int64_t n) const {
        return values<T>(seed, n, low, high, [](double v) {
            if constexpr (sizeof(T) == 2)
                return static_cast<T>(static_cast<float>(v));
            else
                return static_cast<T>(v);
        });
    }
};

/// The result of one way of computing a case. Reported as one line of JSON.
struct report {
    std::string variant;       ///< where a program knows several ways
    bool approximate = false;  ///< computes something less exact than the case asks for: not what ratios are taken to
    int launches = 0;          ///< 0 where not known
    std::string detail;        ///< the schedule, say
    double predicted_ms = 0;   ///< where a program predicts it: also the bytes, and what binds
    std::int64_t predicted_bytes = 0;
    std::string bound_by;
    times time;
    std::int64_t unwritten = 0;   ///< elements that still hold what the result was poisoned with
    std::vector<double> samples;  ///< the result at sampled_indices
};

void print(const trial& t, const report& r);

/// Registers a case with this program's main(), under a name with its dtype: "exp.float32".
struct registration {
    registration(const char* name, void (*run)(const trial&));
};

/// The device, for the program's first line. Each program defines it.
std::string device_description();

}  // namespace bench
