// Expression trees as types. A tree holds no values: it describes which operation applies to which operands, and emits
// itself as IR nodes. Its run-time arguments (storages, scalars, integers) are flat lists in left-to-right tree order.
#pragma once

#include <sinter/ir/node.hpp>

namespace sinter::tree {

/// The numbers of nodes and arguments of a tree.
struct counts {
    int nodes = 0;
    int leaves = 0;
    int scalars = 0;
    int integers = 0;

    friend constexpr counts operator+(counts a, counts b) {
        return {a.nodes + b.nodes, a.leaves + b.leaves, a.scalars + b.scalars, a.integers + b.integers};
    }
};

/// Advances one of a builder's counters; returns its old value. Builders are defined in lower.hpp.
template <class B>
constexpr std::int16_t take(int B::*counter, B& builder, int n = 1) {
    const int first = builder.*counter;
    builder.*counter += n;
    return static_cast<std::int16_t>(first);
}

/// An array argument.
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

/// A run-time C++ scalar, already converted to its dtype in the expression.
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

/// An op of the table applied elementwise; D is the result dtype.
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

/// A reduction row over axes: `Mask` if `Known`, else `Count` axes whose mask is an integer argument.
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

/// The same elements with `Rank` other extents.
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

/// The operand, materialized by its own launch before it is read.
template <class In, ir::product What>
struct stored {
    static constexpr dtype type = In::type;
    static constexpr int rank = In::rank;
    static constexpr counts size = In::size + counts{1, 0, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::materialize,
                      .type = type,
                      .rank = rank,
                      .in = {in, -1, -1},
                      .bits = static_cast<std::uint64_t>(What)});
    }
};

/// A value of the first result of a pack that the other results read by `shared_again`, so that the program contains
/// it once.
template <class Value>
struct shared {
    static constexpr dtype type = Value::type;
    static constexpr int rank = Value::rank;
    static constexpr counts size = Value::size;
    template <class B>
    static constexpr int emit(B& b) {
        return b.shared = Value::emit(b);
    }
};
template <class Value>
struct shared_again {
    static constexpr dtype type = Value::type;
    static constexpr int rank = Value::rank;
    static constexpr counts size{};
    template <class B>
    static constexpr int emit(B& b) {
        return b.shared;
    }
};

/// A result of a pack as an expression of its own: what it shares becomes a part of it. `borrowed`: the arguments of
/// the shared value, which are those of the first result, precede its own.
template <class Result>
struct unshared {
    using type = Result;
    static constexpr counts borrowed{};
};
template <class Value>
struct unshared<shared<Value>> {
    using type = Value;
    static constexpr counts borrowed{};
};

/// Several results of one program, one tree each.
template <class... Roots>
struct pack {
    static constexpr counts size = (Roots::size + ...);
    template <class B>
    static constexpr void emit_roots(B& b) {
        ((b.roots[b.root_count++] = Roots::emit(b)), ...);
    }
};

/// A view of rank `Rank` that gathers along one axis at `Index`.
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
