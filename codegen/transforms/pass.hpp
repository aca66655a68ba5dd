// The passes, in the order they run: the table of contents of the way from a program to kernels.
//
//   bind        program + arguments  -> graph        every extent known
//   differentiate  graph             -> graph        gradients become what computes them (codegen/autodiff)
//   choose_cut  graph                -> graph        which values are stored, by which kernels (cut.hpp)
//   partition   graph                -> graphs       one a kernel launch
//   join        graph, graph         -> graph        a product with what is computed of each of its elements
//   widen       graph                -> graph        half types are loaded, stored and cast to, all else is float32
//   alias       graph                -> graph        leaves that are the same array become one
//   simplify    graph                -> graph        views of views compose, empty casts and views go
//   cse         graph                -> graph        equal nodes become one
//   merge       graph                -> graph        a reduction of a reduction by the same op is one
//   sweep       graph                -> graph        nodes that nobody reads go
//   loops       graph                -> kernel       outer axes, inner loops, loads and stores
//   collapse    kernel               -> kernel       axes that memory does not tell apart become one
//   narrow      kernel               -> kernel       integers that fit 32 bits have 32
//   unite       kernels              -> kernels      equal ones become one
//   nest        kernel, kernel       -> kernel       a reduction of a reduction: one launch, if a schedule is known
//   fold_groups kernel, kernel       -> kernel       a reduction over all groups, within the kernel that computes them
#pragma once

#include <codegen/ir/kernel.hpp>
#include <codegen/transforms/cut.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace sinter::codegen {

graph bind(const ir::program& program, const detail::arguments_view& arguments);

/// The kernels' graphs in the order they must run. Each graph's leaves are the program's, followed by what the kernels
/// before those store for later ones, in their order.
std::vector<graph> partition(kernel_cut cut);

/// Whether a kernel, or its graph, reads a leaf.
bool reads(const graph& part, int leaf);
bool reads(const kernel& k, int leaf);

/// The one of the kernels, or of their graphs, that reads a leaf; -1 for none or several.
template <class Part>
int only_reader(const std::vector<Part>& parts, int leaf) {
    int reader = -1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!reads(parts[i], leaf)) continue;
        if (reader >= 0) return -1;
        reader = static_cast<int>(i);
    }
    return reader;
}

/// The graph of `reader` with the product that stores its leaf `leaf` in that leaf's place. Nothing where the reader
/// does more than compute an element of its result from the same one of the product.
std::optional<graph> join(const graph& product, const graph& reader, int leaf);

/// For each node the first that is equal to it; what the nodes read becomes that, too.
std::vector<int> first_equals(graph& g);

void widen(graph& g);
void alias(graph& g);
void simplify(graph& g);
void cse(graph& g);
bool merge_reductions(graph& g);  ///< says whether it did anything
void sweep(graph& g);

kernel loops(const graph& g);
void collapse(kernel& k);
bool narrow(kernel& k);  ///< says whether it did anything

/// Kernels that compute the same become one: those that read what it stores read it from one place. `leaves` is the
/// number of the program's leaves: those behind are what the kernels store, in their order. Those
/// that make the program's results, at least the last one, stay.
void unite(std::vector<kernel>& kernels, int leaves);

/// The number of arrays that a kernel stores for later ones: temporaries, and results that are read again.
inline int stored_by(const graph& part) {
    return static_cast<int>(
        std::count_if(part.roots.begin(), part.roots.end(), [](const graph_root& r) { return r.is_read(); }));
}
inline int stored_by(const kernel& k) {
    if (k.results.empty()) return static_cast<int>(k.outputs.size());
    return static_cast<int>(std::count(k.results.begin(), k.results.end(), -1)) + __builtin_popcount(k.read_later);
}

/// The number of temporaries that the kernels before part p store.
template <class Part>
int temporaries_before(const std::vector<Part>& parts, int p) {
    int count = 0;
    for (int i = 0; i < p; ++i) count += stored_by(parts[static_cast<std::size_t>(i)]);
    return count;
}

/// Takes a kernel out. Those that read what it stores read what the earlier kernel `instead` stores; -1: nobody does.
void drop_kernel(std::vector<kernel>& kernels, int leaves, int dropped, int instead);

/// One kernel that does the work of two: of `first`, whose one result is stored as leaf `stored`, and of `second`,
/// each of whose loops reads every element of it once. Nothing where the two do not fit together.
std::optional<kernel> nest(const kernel& first, const kernel& second, int stored);

/// One kernel that does the work of two: of `groups`, and of `reader`, which reduces everything and reads either what
/// the first stores once per group or an input of it. `stored`: of each output of `groups`, the leaf that it is to
/// other kernels; -1 for none. The new kernel has the outputs of the first, after them those of the second. Nothing
/// where the two do not fit together.
std::optional<kernel> fold_groups(const kernel& groups, const kernel& reader, const std::vector<int>& stored);

/// The leaves that the kernels' outputs are to later kernels, of each kernel a list; -1 where none reads it.
std::vector<std::vector<int>> stored_leaves(const std::vector<kernel>& kernels, int leaves);

/// Gives the leaves that kernels store their numbers after some kernels have changed: `before` has the old ones, of
/// each output as the kernels are now.
void renumber_leaves(std::vector<kernel>& kernels, int leaves, const std::vector<std::vector<int>>& before);

/// Takes out an output that nobody needs.
void drop_output(kernel& k, int output);

/// How exactly the kernel computes: see arithmetic in codegen/ir/kernel.hpp.
void choose_precision(kernel& k, bool fast_math);

/// Numbers the axes from 0: the outer ones first, then loop by loop. Axes that are none of these go.
void renumber_axes(kernel& k);

}  // namespace sinter::codegen
