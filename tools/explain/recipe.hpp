// Reuses the library's templates at run time. A function is called with stand-ins for its operands: arrays without
// memory, of a dtype and rank for which it is instantiated. The program of the resulting expression is the recipe;
// cooking it replaces the stand-ins by the operands. So a composite function is written only once, as the template that
// C++ programs call.
//
// There are two kinds of stand-ins. An exact one has the operand's rank: for views, whose dtype does not matter. A
// collapsed one has two axes, for all kept and all reduced elements: for reducing functions, whose rank does not
// matter; cooking then reduces the operand's own axes.
#pragma once

#include <sinter.hpp>
#include <tools/explain/dtypes.hpp>
#include <tools/explain/node.hpp>

namespace sinter::spoken {

struct syntax;
/// Parses random_key(1), random_key(1, 2), or a split key: random_key(1).split(2). Throws problem.
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
    std::uint32_t axes = 0;          ///< collapsed: the axes to reduce
    bool keepdims = false;           ///< collapsed: all reductions keep their axes, not only those with keepdims
    bool of_its_type = false;        ///< exact: float32 of the stand-in means the first operand's dtype
    const node* reshaped = nullptr;  ///< without operands: reshapes get this node's shape
};
node_ref cook(const recipe& r, const cooking& how);

/// The recipe of a program whose leaves are stand-ins, of which the last is null.
recipe recipe_of(const ir::program& program, const detail::arguments_view& arguments,
                 const detail::storage* const* stand_ins);

/// The recipe of an expression of stand-ins.
template <class Tree, class... Array>
recipe recipe_of(const expr<Tree>& e, const Array&... stand_ins) {
    const detail::storage* const known[] = {stand_ins.storage().get()..., nullptr};
    return recipe_of(detail::program_of<Tree>, e.arguments(), known);
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
