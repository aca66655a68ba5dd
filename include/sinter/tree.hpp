// The types an expression is made of. A tree holds no values: it says which operation is applied to what, and emits
// itself as IR nodes. Its run-time arguments (storages, scalars, integers) are flat lists in the order in which the
// trees meet them, left to right.
#pragma once

#include <sinter/ir/node.hpp>

namespace sinter::tree {

/// How many nodes and arguments a tree has.
struct counts {
    int nodes = 0;
    int leaves = 0;
    int scalars = 0;
    int integers = 0;

    friend constexpr counts operator+(counts a, counts b) {
        return {a.nodes + b.nodes, a.leaves + b.leaves, a.scalars + b.scalars, a.integers + b.integers};
    }
};

/// Collects the nodes while a tree is emitted. Defined in lower.hpp; trees only call it.
template <class B>
constexpr std::int16_t take(int B::*counter, B& builder, int n = 1) {
    const int first = builder.*counter;
    builder.*counter += n;
    return static_cast<std::int16_t>(first);
}

/// An array.
template <dtype D, int Rank>
struct leaf {
    static constexpr dtype type = D;
    static constexpr int rank = Rank;
    static constexpr counts size{1, 1, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        return b.add({.what = ir::kind::leaf, .type = D, .rank = Rank, .argument = take(&B::leaves, b)});
    }
};

/// A run-time C++ scalar, already converted to the dtype it has in the expression.
template <dtype D>
struct scalar {
    static constexpr dtype type = D;
    static constexpr int rank = 0;
    static constexpr counts size{1, 0, 1, 0};
    template <class B>
    static constexpr int emit(B& b) {
        return b.add({.what = ir::kind::scalar, .type = D, .argument = take(&B::scalars, b)});
    }
};

/// An op of the table applied elementwise; D is the result's dtype.
template <class Op, dtype D, class... In>
struct map {
    static constexpr dtype type = D;
    static constexpr int rank = [] {
        int r = 0;
        ((r = In::rank > r ? In::rank : r), ...);
        return r;
    }();
    static constexpr counts size = (In::size + ... + counts{1, 0, 0, 0});
    template <class B>
    static constexpr int emit(B& b) {
        ir::node n{.what = ir::kind::elementwise, .type = D, .rank = rank, .op = &Op::row};
        int i = 0;
        ((n.in[i++] = static_cast<std::int16_t>(In::emit(b))), ...);
        return b.add(n);
    }
};

/// A conversion to another dtype.
template <dtype D, class In>
struct cast {
    static constexpr dtype type = D;
    static constexpr int rank = In::rank;
    static constexpr counts size = In::size + counts{1, 0, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::cast, .type = D, .rank = rank, .in = {in, -1, -1}});
    }
};

/// A reduction row folded over axes: `Mask` when `Known`, otherwise `Count` axes whose mask is an integer argument.
template <class Op, class In, bool Known, std::uint32_t Mask, int Count, bool Keep>
struct fold {
    static constexpr dtype type = accumulator_of(Op::row.rule, In::type);
    static constexpr int rank = Keep ? In::rank : In::rank - Count;
    static constexpr counts size = In::size + counts{1, 0, 0, Known ? 0 : 1};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        ir::node n{.what = ir::kind::reduction,
                   .type = type,
                   .rank = rank,
                   .keepdims = Keep,
                   .axes_known = Known,
                   .in = {in, -1, -1},
                   .axes = Mask,
                   .bits = Count,
                   .op = &Op::row};
        if (!Known) n.argument = take(&B::integers, b);
        return b.add(n);
    }
};

/// The integers 0, 1, 2 ... along one axis.
struct iota {
    static constexpr dtype type = dtype::int64;
    static constexpr int rank = 1;
    static constexpr counts size{1, 0, 0, 1};
    template <class B>
    static constexpr int emit(B& b) {
        return b.add({.what = ir::kind::iota, .type = type, .rank = rank, .argument = take(&B::integers, b)});
    }
};

/// The same elements with other extents, of which there are `Rank`.
template <int Rank, class In>
struct reshape {
    static constexpr dtype type = In::type;
    static constexpr int rank = Rank;
    static constexpr counts size = In::size + counts{1, 0, 0, Rank};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::reshape,
                      .type = type,
                      .rank = Rank,
                      .in = {in, -1, -1},
                      .argument = take(&B::integers, b, Rank)});
    }
};

/// The operand, stored by a launch of its own before it is read.
template <class In, ir::product What>
struct stored {
    static constexpr dtype type = In::type;
    static constexpr int rank = In::rank;
    static constexpr counts size = In::size + counts{1, 0, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::store,
                      .type = type,
                      .rank = rank,
                      .in = {in, -1, -1},
                      .bits = static_cast<std::uint64_t>(What)});
    }
};

/// Several results of one program, each of a tree of its own.
template <class... Roots>
struct pack {
    static constexpr counts size = (Roots::size + ...);
    template <class B>
    static constexpr void emit_roots(B& b) {
        ((b.roots[b.root_count++] = Roots::emit(b)), ...);
    }
};

/// A view of rank `Rank` that reads along one axis at the places that `Index` gives.
template <int Rank, class In, class Index>
struct taken {
    static constexpr dtype type = In::type;
    static constexpr int rank = Rank;
    static constexpr int integers = ir::index_map_integers(In::rank, Rank);
    static constexpr counts size = In::size + Index::size + counts{1, 0, 0, integers};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        const auto index = static_cast<std::int16_t>(Index::emit(b));
        return b.add({.what = ir::kind::index_map,
                      .type = type,
                      .rank = Rank,
                      .in = {in, index, -1},
                      .argument = take(&B::integers, b, integers)});
    }
};

/// An affine view of rank `Rank` (ir::kind::index_map).
template <int Rank, class In>
struct view {
    static constexpr dtype type = In::type;
    static constexpr int rank = Rank;
    static constexpr int integers = ir::index_map_integers(In::rank, Rank);
    static constexpr counts size = In::size + counts{1, 0, 0, integers};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::index_map,
                      .type = type,
                      .rank = Rank,
                      .in = {in, -1, -1},
                      .argument = take(&B::integers, b, integers)});
    }
};

}  // namespace sinter::tree
