// How run time uses what only templates can make. A function of the library is called with stand-ins for its operands,
// arrays of no memory whose dtype and rank the C++ compiler has instantiated it for; the program of the expression that
// comes back is the recipe, and cooking it puts the operands themselves in the stand-ins' places. So a composite
// function is written once, as the template that C++ programs call.
//
// There are two kinds of stand-ins. An exact one has the operand's rank: for views, whose dtype does not matter. A
// collapsed one has two axes, of all the elements that a reduction keeps and of all that it folds: for functions that
// reduce, whose rank does not matter; cooking then reduces the operand's own axes.
#pragma once

#include <sinter.hpp>
#include <tools/explain/dtypes.hpp>
#include <tools/explain/node.hpp>

namespace sinter::spoken {

struct syntax;
/// random_key(1), random_key(1, 2), or such a key split: random_key(1).split(2). Throws problem.
random_key read_key(const syntax& s);

struct recipe {
    const ir::program* program = nullptr;
    std::vector<int> operand_of_leaf;
    std::vector<ir::scalar_bits> scalars;
    std::vector<std::int64_t> integers;
};

struct cooking {
    std::vector<node_ref> operands;
    bool collapsed = false;
    std::uint32_t axes = 0;          ///< collapsed: what the reductions go over
    bool keepdims = false;           ///< collapsed: all reductions keep their axes, not only those that say so
    bool of_its_type = false;        ///< exact: the stand-in's float32 means the first operand's dtype
    const node* reshaped = nullptr;  ///< of nothing: what is reshaped has this one's shape
};
node_ref cook(const recipe& r, const cooking& how);

/// The recipe of an expression of stand-ins.
template <class Tree, class... Array>
recipe recipe_of(const expr<Tree>& e, const Array&... stand_ins) {
    constexpr tree::counts n = Tree::size;
    const detail::storage* const known[] = {stand_ins.storage().get()..., nullptr};
    recipe r;
    r.program = &detail::program_of<Tree>;
    for (int i = 0; i < n.leaves; ++i) {
        int which = 0;
        while (known[which] != e.leaves_.item[i].get()) ++which;
        r.operand_of_leaf.push_back(which);
    }
    r.scalars.assign(e.scalars_.item, e.scalars_.item + n.scalars);
    r.integers.assign(e.integers_.item, e.integers_.item + n.integers);
    return r;
}

template <dtype D>
array<element_t<D>, 2> collapsed_stand_in(const node& operand, std::uint32_t axes) {
    extents shape{1, 1};
    for (int a = 0; a < operand.rank; ++a) shape[axes >> a & 1] *= operand.shape[static_cast<std::size_t>(a)];
    return array<element_t<D>, 2>(imagined(D, 2, shape, 0));
}

template <int Rank, dtype D = dtype::float32>
array<element_t<D>, Rank> exact_stand_in(const node& operand) {
    return array<element_t<D>, Rank>(imagined(D, Rank, operand.shape, 0));
}

}  // namespace sinter::spoken
