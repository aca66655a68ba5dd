// Reductions by key: loops in which an element belongs to one group at most, that whose index its key is. scatter_add
// and segment_sum write them as sums over comparisons, sum(where(arange(groups) == key, value, 0), axis=1), which takes
// as many steps as there are pairs of a group and an element.
//
// On the host such a kernel becomes three without loops: the elements' keys, their values, and what is computed from
// the groups' results. In between, each value is folded into the group that its key names
// (runtime/host/keyed_kernel.cpp), in an order that the extents decide.
#pragma once

#include <codegen/host/plan.hpp>

namespace sinter::codegen::blocked {

struct keyed_reduction {
    struct fold {
        const op_row* op = nullptr;
        int builtin = -1;  ///< the row of the table that computes the same
        dtype type{};
        int scalar = -1;            ///< what the loop folds into the other groups: this scalar argument,
        ir::scalar_bits elsewhere;  ///< or, if there is none, this value
        int input = -1;             ///< the input that lists the values as `values` would store them, or -1
    };

    loop_nest
        keys;  ///< stores an int64 for each element: an array (before, elements, after), or without before or after
    loop_nest values;   ///< stores an array (before, elements, after) for each fold
    loop_nest results;  ///< the kernel's own outputs; reads an array (before, groups, after) for each fold, after the
                        ///< kernel's own inputs
    std::vector<fold> folds;
    std::int64_t before = 1, groups = 1, after = 1, elements = 0;
    bool keys_before = false, keys_after = false;  ///< keys have the axes before, or after, the groups' as well
    int key_input = -1;                            ///< the input that lists the keys as `keys` would store them, or -1
};

/// The kernel as a reduction by key. `p`: its plan. Nothing if it is none, or if it would not pay.
std::optional<keyed_reduction> find_keyed_reduction(const loop_nest& k, const plan& p);

/// What the loop folds into the groups that do not have an element's key.
inline const ir::scalar_bits& elsewhere_of(const keyed_reduction::fold& f, const ir::scalar_bits* scalars) {
    return f.scalar >= 0 ? scalars[f.scalar] : f.elsewhere;
}
bool is_identity(const keyed_reduction::fold& f, const ir::scalar_bits* scalars);
/// Whether that has no effect (it is the identity), or the same whether it is folded once or several times.
bool folds_the_same(const keyed_reduction::fold& f, const ir::scalar_bits* scalars);

/// How a kernel is a reduction by key: an axis of its loop, one of its groups, and values.
struct key_match {
    int along = -1, group_axis = -1;
    int comparison = -1;  ///< of the index along group_axis with
    int key = -1;
    bool keys_before = false, keys_after = false;
    std::vector<keyed_reduction::fold> folds;
};
keyed_reduction cut_by_key(const loop_nest& k, const key_match& match);

}  // namespace sinter::codegen::blocked
