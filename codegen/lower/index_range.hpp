// The part of an axis that a tile of rows needs, as index arithmetic of the kernel: see analysis/support.hpp.
#pragma once

#include <codegen/analysis/support.hpp>
#include <codegen/lower/lowering.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::lower {

/// The rows of a block: indices along `axis` from `first` to `last`, included.
struct row_span {
    int axis = -1;
    scalar first, last;
};

/// Indices from `first` up to `end`, both within the axis.
struct index_range {
    scalar first, end;
};

class index_ranges {
public:
    /// `extent`: that of the axis along which the sets lie. Values that the sets take must be defined.
    index_ranges(lowering& shared, const row_span& rows, const scalar& extent)
        : c(shared), rows_(rows), extent_(extent) {}

    /// A range outside which no row has an index of the set.
    index_range of_some(const index_set& s) { return within(s, false); }
    /// A range in which all rows have all indices in the set.
    index_range of_all(const index_set& s) { return within(s, true); }

    /// Demands a condition: where it fails, every index may be in the sets, and none need be.
    void demand(const scalar& condition);

private:
    /// Inclusive, where there is a limit.
    struct limits {
        scalar low, high;
        bool is_empty = false;
    };

    index_range within(const index_set& s, bool all);
    limits limits_of(const index_set& s, bool all);
    scalar extreme(const affine_form& f, bool highest);
    scalar end_of(int v, bool highest);
    scalar least(const scalar& a, const scalar& b) { return c.b.select(a < b, a, b); }
    scalar greatest(const scalar& a, const scalar& b) { return c.b.select(a < b, b, a); }
    scalar named(const char* name, const scalar& x) { return c.b.let_index(c.unique(name), dtype::int64, x); }

    lowering& c;
    const row_span rows_;
    const scalar extent_;
    std::vector<int> checked_;  ///< values known to be within their limits
    scalar holds_;              ///< what has been demanded
};

}  // namespace sinter::codegen::lower
