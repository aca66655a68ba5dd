// Where along a kernel's axes an element lies: the algebra of indices that views compute with.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// One summand of a coordinate: `step` times the index of an axis, or a value, or a digit of another coordinate.
struct place_term {
    enum class kind : std::uint8_t { axis, value, digit };
    kind of = kind::axis;
    int id = -1;
    std::int64_t step = 0;
    auto operator<=>(const place_term&) const = default;
};

/// An index along one axis of a node: start plus terms, which are sorted, and of which no two are of the same thing.
struct coordinate {
    std::int64_t start = 0;
    std::vector<place_term> terms;
    auto operator<=>(const coordinate&) const = default;
};

/// The index along each axis of a node.
using place = std::array<coordinate, ir::max_rank>;

coordinate along_axis(int axis);
coordinate value_of(int value);
/// start + step * c
coordinate scaled(const coordinate& c, std::int64_t step, std::int64_t start = 0);
coordinate sum_of(const coordinate& a, const coordinate& b);

/// The numbers that make up an index: (whole / divide) % modulo, modulo 0 for no remainder.
struct digit {
    coordinate whole;
    std::int64_t divide = 1;
    std::int64_t modulo = 0;
    int first = -1;  ///< the first digit of the same number; its digits stand side by side
    int count = 0;   ///< of them
};

/// Takes indices apart and puts them together again, as reshapes do.
class digits {
public:
    /// The index along each of `count` axes of an array whose row-major position is `whole`.
    void split(const coordinate& whole, const std::int64_t* shape, int count, const std::vector<std::int64_t>& extents,
               coordinate* into);
    /// The coordinate with all digits of a number written as the number, where their steps allow it.
    coordinate joined(coordinate c) const;

    const digit& operator[](int id) const { return all_[static_cast<std::size_t>(id)]; }

private:
    std::vector<digit> all_;
};

}  // namespace sinter::codegen
