// Where along an axis an element can contribute to a maximum or a softmax: what the comparisons of indices that select
// it say. In where(key <= query, score, -infinity) only keys up to the query can. Conjunctions, disjunctions and
// negations of comparisons, distances |i - j|, and limits that are loaded for each batch are read alike; what cannot be
// read counts as everywhere.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// A sum of values, each added or subtracted, and a number. No value varies along the axis.
struct affine_form {
    struct summand {
        int value = -1, sign = 1;
    };
    std::vector<summand> of;
    std::int64_t constant = 0;
};

/// Indices along the axis.
struct index_set {
    enum class kind : std::uint8_t {
        unknown,  ///< not known: any
        from,     ///< from `bound` on
        up_to,    ///< up to `bound`, included
        both,     ///< in all parts
        either    ///< in one of the parts
    };
    kind what = kind::unknown;
    affine_form bound;
    std::vector<index_set> parts;
};

/// A `where` that decides: within the set it has operand `kept`, outside it operand `masked`.
struct selection {
    int value = -1;
    int kept = -1, masked = -1;
    bool must_be_infinite = false;  ///< what is computed of it depends on other values unless it is minus infinity
    bool is_zero = false;           ///< the masked operand is the constant 0
};

struct support {
    index_set indices;                  ///< outside this set some selection has its masked operand
    std::vector<selection> selections;  ///< inside all parts of the set, each has what it keeps
};

/// Values whose magnitude a kernel does not know are taken into account up to this limit, so that no arithmetic that
/// the user wrote can have wrapped around.
constexpr std::int64_t index_limit(dtype type) { return std::int64_t{1} << (size_of(type) < 8 ? 30 : 40); }

/// The support of value `v` along an axis, which is several of the nest's axes: a set bit for each. Values that vary
/// along `tile`, a mask of axes as well, are known at the first and last index of a tile only if they are indices.
support support_of(const loop_nest& k, int v, std::uint32_t along, std::uint32_t tile);

/// The same of where a value may differ from 0: it is a product of selections of 0, or of exponentials of what a mask
/// makes minus infinity.
support nonzero_support_of(const loop_nest& k, int v, std::uint32_t along, std::uint32_t tile);

/// Whether the set says anything.
bool is_limited(const index_set& s);

}  // namespace sinter::codegen
