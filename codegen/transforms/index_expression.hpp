// Algebra of index expressions, in which views compute where an element is along a kernel's axes.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// A summand of an index expression: `step` times the index of an axis, a value, or a delinearized_index of another
/// index_expression.
struct index_term {
    enum class kind : std::uint8_t { axis, value, delinearized };
    kind of = kind::axis;
    int id = -1;
    std::int64_t step = 0;
    auto operator<=>(const index_term&) const = default;
};

/// An index along one axis of a node: start plus terms. Terms are sorted and distinct.
struct index_expression {
    std::int64_t start = 0;
    std::vector<index_term> terms;
    auto operator<=>(const index_expression&) const = default;
};

/// An index for each axis of a node.
using element_index = std::array<index_expression, ir::max_rank>;

index_expression along_axis(int axis);
index_expression value_of(int value);
/// start + step * c
index_expression scaled(const index_expression& c, std::int64_t step, std::int64_t start = 0);
index_expression sum_of(const index_expression& a, const index_expression& b);

/// A div/mod part of a flat index: (whole / divide) % modulo; modulo 0: no remainder.
struct delinearized_index {
    index_expression whole;
    std::int64_t divide = 1;
    std::int64_t modulo = 0;
    int first = -1;  ///< id of the first delinearized_index of the same flat index; their ids are consecutive
    int count = 0;   ///< number of delinearized indices of the flat index
};

/// Delinearizes flat indices and linearizes them again, as reshapes do.
class delinearization {
public:
    /// The index along each of `count` axes of the element whose row-major index is `whole`.
    void split(const index_expression& whole, const std::int64_t* shape, int count,
               const std::vector<std::int64_t>& extents, index_expression* into);
    /// Replaces the delinearized indices of a flat index by that index, where all are present with matching steps.
    index_expression joined(index_expression c) const;

    const delinearized_index& operator[](int id) const { return all_[static_cast<std::size_t>(id)]; }

private:
    std::vector<delinearized_index> all_;
};

}  // namespace sinter::codegen
