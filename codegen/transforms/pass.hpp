// The passes from a program to kernels, in the order in which they run.
//
//   bind                     program, arguments -> graph   infers every extent
//   differentiate            graph -> graph                replaces gradients by their computation (codegen/autodiff)
//   choose_cut               graph -> graph                decides which values which kernels store (cut.hpp)
//   store_before_views       graph -> graph                stores values before the views that read them
//   with_reassociated_sums   graph -> graph                GPUs, products: sums of a product's elements of its factors
//   with_stored_statistics   graph -> graph                GPUs, products: stores what factors are computed beside
//   partition                graph -> graphs               one per kernel launch
//   fuse_epilogue            graph, graph -> graph         a matrix product and the elementwise kernel that reads it
//   join_operand             graph, graph -> graph         a matrix product and the elementwise kernel of an operand
//   legalize_storage         graph -> graph                storage types are only loaded, stored and cast to
//   unify_inputs             graph -> graph                merges leaves that are the same array
//   simplify                 graph -> graph                composes views, removes casts and views that change nothing
//   cse                      graph -> graph                merges equal nodes
//   gather_one_hot           graph -> graph                turns reductions over one-hot comparisons into gathers
//   merge_reductions         graph -> graph                merges a reduction of a reduction by the same op
//   eliminate_dead_code      graph -> graph                removes nodes that are not read
//   open_axes                graph -> graph                makes all axes outer ones where nothing is folded
//   lower_to_loops           graph -> kernel               outer axes, inner loops, loads and stores
//   coalesce_axes            kernel -> kernel              merges axes that are contiguous in memory
//   narrow_index_types       kernel -> kernel              int64 to int32, where values fit
//   with_split_joins         kernel -> kernel              GPUs: an axis for the parts of a join, if a thread has all
//   with_one_axis            kernel -> kernel              GPUs: one axis in place of several, for wider accesses
//   with_sharing_groups_together kernel -> kernel          GPUs: groups that read the same elements follow each other
//   reduce_strength          kernel -> kernel              GPUs: index divisions become multiplications
//   share_reciprocals        kernel -> kernel              GPUs: loops divide by one value by its reciprocal
//   separate_numbers         kernel -> kernel              GPUs: equal extents are arguments of their own
//   merge_identical_kernels  kernels -> kernels            merges equal kernels
//   recompute                kernels -> kernel             products in what another one reads (recompute.hpp)
//   chain                    kernels -> kernel             a product, its softmax and another product (chain.hpp)
//   nest                     kernel, kernel -> kernel      a reduction of a reduction, if a schedule is known
//   online_softmax           kernel -> kernel              a maximum and its sum of exponentials, in one loop
//   fold_groups              kernel, kernel -> kernel      a reduction over all groups of the first kernel
//   fold_columns             kernel, kernel -> two others  reductions of columns by the blocks of a kernel of rows
//   with_computed_operand    kernel, kernel -> kernel      a call and the elementwise kernel of an operand
//   with_consumed_result     kernel, kernel -> kernel      a call and the elementwise kernel that reads its result
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/transforms/cut.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace sinter::codegen {

graph bind(const ir::program& program, const detail::arguments_view& arguments);

/// For each node, the number of nodes and results that read it.
std::vector<int> uses_of(const graph& g);

/// Whether a node is a view that has each element of its operand once, in any order of the axes; those of extent 1 do
/// not count.
bool is_permutation(const graph& g, int node);

/// Stores the operand of permutations and reshapes in place of their result.
void store_before_views(graph& g);

/// The strides in which a stored value's readers find it in the order of their axes: row-major ones, or those of the
/// permutation through which all of them read it before they reshape it.
extents strides_for_readers(const graph& g, int node);

/// The kernels' graphs in launch order. Each graph's leaves are the program's, followed by the arrays that earlier
/// kernels store for later ones, in that order.
std::vector<graph> partition(const kernel_cut& cut);

/// Whether a kernel, or its graph, reads a leaf.
bool reads(const graph& part, int leaf);
bool reads(const loop_nest& k, int leaf);
/// Whether a kernel reads any of these leaves, of which some may be none (-1).
bool reads_any(const loop_nest& k, const std::vector<int>& leaves);

/// The kernels, or graphs, that read a leaf.
template <class Part>
std::vector<int> readers_of(const std::vector<Part>& parts, int leaf) {
    std::vector<int> found;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (reads(parts[i], leaf)) found.push_back(static_cast<int>(i));
    return found;
}
/// The only one that does; -1 if none or several do.
template <class Part>
int only_reader(const std::vector<Part>& parts, int leaf) {
    const std::vector<int> readers = readers_of(parts, leaf);
    return readers.size() == 1 ? readers[0] : -1;
}

/// The graph of `reader` with the product that stores leaf `leaf` computed in place of that leaf. Returns nothing if
/// the reader does more than map each element of the product, or of a permutation of its axes, to an element of its
/// result.
std::optional<graph> fuse_epilogue(const graph& product, const graph& reader, int leaf);

/// The graph of `product` with the elementwise kernel that stores leaf `leaf` computed in place of that leaf. Returns
/// nothing if the operand contains more than ops, casts and views.
std::optional<graph> join_operand(const graph& operand, const graph& product, int leaf);

/// Value numbering: for each node, the first node equal to it. Operands are replaced by their first equal nodes.
std::vector<int> number_values(graph& g);

void legalize_storage(graph& g);
void unify_inputs(graph& g);
void simplify(graph& g);
void cse(graph& g);
bool gather_one_hot(graph& g);    ///< returns whether it changed anything
bool merge_reductions(graph& g);  ///< returns whether it changed anything
void eliminate_dead_code(graph& g);
bool open_axes(graph& g);  ///< returns whether it changed anything

loop_nest lower_to_loops(const graph& g);
void coalesce_axes(loop_nest& k);
bool narrow_index_types(loop_nest& k);  ///< returns whether it changed anything
/// The same, where `spans` has for each input the number of elements of the memory that it lies in; 0: unknown.
bool narrow_index_types(loop_nest& k, const std::vector<std::int64_t>& spans);

/// An elementwise kernel with one outer axis in place of all, or a kernel each of whose loops has one axis. Accesses in
/// row-major order that are aligned to 16 bytes stay in order; all others use indices computed from the one axis.
/// `alignment`: of each input, in bytes. Returns nothing for other kernels, if an index does not fit int32, or if more
/// bytes would be read singly than in order.
std::optional<loop_nest> with_one_axis(const loop_nest& k, const std::vector<int>& alignment);

/// An elementwise kernel with the axis along which it joins parts of one length split into one of the parts and one
/// within a part. Returns nothing for other kernels.
std::optional<loop_nest> with_split_joins(const loop_nest& k);

/// A kernel with loops, whose outer axes are in another order, so that elements that several groups share are read
/// while a cache of so many bytes holds them. Returns nothing where that saves little.
std::optional<loop_nest> with_sharing_groups_together(const loop_nest& k, std::int64_t cache_bytes);

/// Replaces quotients and remainders of 32-bit indices by numbers that the shapes determine (GPUs have no integer
/// division instruction) by multiplications.
void reduce_strength(loop_nest& k);

/// Divides float32 and float64 by reciprocals, with the same results, where all steps of a long loop have one divisor.
void share_reciprocals(loop_nest& k);

/// Gives each use of a number that the shapes determine an argument of its own, so that shapes with equal extents need
/// no kernel of their own.
void separate_numbers(loop_nest& k);

/// Merges kernels that compute the same. Readers of a dropped kernel's result read the kept one's. `leaves`: the number
/// of the program's leaves; leaves after them are stored by kernels, in kernel order. Keeps kernels that store results
/// of the program, and the last kernel.
void merge_identical_kernels(std::vector<loop_nest>& kernels, int leaves);

/// The number of arrays that a kernel stores for later ones: temporaries, and results that are read again.
inline int stored_by(const graph& part) {
    return static_cast<int>(
        std::count_if(part.roots.begin(), part.roots.end(), [](const graph_root& r) { return r.is_read(); }));
}
inline int stored_by(const loop_nest& k) {
    if (k.results.empty()) return static_cast<int>(k.outputs.size());
    return static_cast<int>(std::count(k.results.begin(), k.results.end(), -1)) + __builtin_popcount(k.read_later);
}

/// The number of temporaries stored by the kernels before part p.
template <class Part>
int temporaries_before(const std::vector<Part>& parts, int p) {
    int count = 0;
    for (int i = 0; i < p; ++i) count += stored_by(parts[static_cast<std::size_t>(i)]);
    return count;
}

/// Removes a kernel. Readers of its results read those of the earlier kernel `instead`; -1: it has no readers.
void drop_kernel(std::vector<loop_nest>& kernels, int leaves, int dropped, int instead);

/// One kernel that computes `first`, whose only result is stored as leaf `stored`, and `second`, each of whose loops
/// reads every element of it once. Returns nothing if the two do not match.
std::optional<loop_nest> nest(const loop_nest& first, const loop_nest& second, int stored);

/// The kernel with each maximum and the sum of exponentials shifted by it computed in one loop. Returns nothing if it
/// has none. Each new maximum rescales the sum, so the schedule decides whether this pays.
std::optional<loop_nest> online_softmax(const loop_nest& k);

/// One kernel that computes `groups` and `reader`, which reduces everything and reads either results that the first
/// stores once per group or an input of it. `stored`: for each output of `groups`, its leaf in other kernels, or -1.
/// The new kernel has the outputs of the first, followed by those of the second. Returns nothing if the two do not
/// match.
std::optional<loop_nest> fold_groups(const loop_nest& groups, const loop_nest& reader, const std::vector<int>& stored);

/// A kernel of rows whose blocks also fold columns, and one that folds what the blocks come to.
struct folded_columns {
    loop_nest rows, columns;

    /// Sets how many blocks there are; one, at first.
    void divide_among(int blocks);
};

/// The two kernels that compute `rows` and `columns`, which reduces along the groups of the first what this reads or
/// stores. The new outputs of the first, after its own, are the leaves `leaf`, `leaf + 1` and so on of the second.
/// `stored`: for each output of `rows`, its leaf in other kernels, or -1. Returns nothing if the two do not match.
std::optional<folded_columns> fold_columns(const loop_nest& rows, const loop_nest& columns,
                                           const std::vector<int>& stored, int leaf);

/// For each kernel and output, the leaf that later kernels read it as; -1 if none does.
std::vector<std::vector<int>> stored_leaves(const std::vector<loop_nest>& kernels, int leaves);

/// Renumbers the leaves that kernels store after kernels were changed. `before`: the old leaf of each output of each
/// present kernel.
void renumber_leaves(std::vector<loop_nest>& kernels, int leaves, const std::vector<std::vector<int>>& before);

/// Removes an unused output.
void drop_output(loop_nest& k, int output);

/// Stores an output, which later kernels read no longer, only if it is a result. `stored`: by output, its leaf, or -1.
void drop_stored(loop_nest& k, std::vector<int>& stored, int output);

/// Sets the kernel's accuracy: see arithmetic in codegen/ir/loop_nest.hpp.
void choose_precision(loop_nest& k, bool fast_math);

/// Removes the values that no store needs, and the layouts, inputs and scalars that only these had.
void drop_unused(loop_nest& k);

/// Whether a kernel computes each element by itself.
bool is_elementwise(const loop_nest& k);

/// An elementwise kernel without some of its outputs. `kept`: by output.
loop_nest with_outputs(loop_nest k, const std::vector<char>& kept);

/// A call with the elementwise kernel that stores one of its operands as an element function; nothing if the kernel
/// does more than compute that array.
std::optional<loop_nest> with_computed_operand(const loop_nest& call, int operand, const loop_nest& maker);

/// A call with the elementwise kernel that reads its only result, leaf `stored`, as an element function, at that
/// kernel's place; nothing if it does not read each element once. A result that others read, too, must be stored.
std::optional<loop_nest> with_consumed_result(const loop_nest& call, const loop_nest& reader, int stored);

/// Renumbers the axes from 0: outer axes first, then loop by loop, then that of the blocks. Drops all other axes.
void renumber_axes(loop_nest& k);

}  // namespace sinter::codegen
