// Lowers an expression type to its IR program at compile time. Templates end here.
#pragma once

#include <sinter/tree.hpp>

namespace sinter::detail {

template <int Capacity>
struct program_builder {
    ir::node nodes[Capacity]{};
    int roots[ir::max_roots]{};
    int count = 0;
    int root_count = 0;
    int leaves = 0;
    int scalars = 0;
    int integers = 0;
    int unknown_names = 0;
    int shared = -1;  ///< the node that the results of a pack share

    constexpr int add(const ir::node& n) {
        nodes[count] = n;
        return count++;
    }
    /// Placeholder for a let's name that is used outside of its let; such uses are counted.
    constexpr int unknown_name() { return unknown_names++, 0; }
};

/// 64-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), one word at a time.
struct hasher {
    std::uint64_t state = 14695981039346656037u;
    constexpr void word(std::uint64_t w) { state = (state ^ w) * 1099511628211u; }
    constexpr void text(const char* s) {
        for (; *s; ++s) word(static_cast<unsigned char>(*s));
        word(0);
    }
};

constexpr std::uint64_t hash_of(const ir::node* nodes, int count, const int* roots, int root_count) {
    hasher h;
    for (int i = 0; i < count; ++i) {
        const ir::node& n = nodes[i];
        h.word(static_cast<std::uint64_t>(n.what) | static_cast<std::uint64_t>(n.type) << 8 |
               static_cast<std::uint64_t>(n.rank) << 16 | static_cast<std::uint64_t>(n.keepdims) << 24 |
               static_cast<std::uint64_t>(n.axes_known) << 25 | static_cast<std::uint64_t>(n.exclusive) << 26 |
               static_cast<std::uint64_t>(n.reverse) << 27 | static_cast<std::uint64_t>(n.axes) << 32);
        for (int in : n.in) h.word(static_cast<std::uint64_t>(in + 1));
        h.word(static_cast<std::uint64_t>(n.argument + 1));
        h.word(n.bits);
        // `if (n.op)` is no constant expression for g++ 12 with -fsanitize=undefined
        if (n.what == ir::kind::elementwise || n.what == ir::kind::reduction || n.what == ir::kind::scan) {
            h.text(n.op->name);
            h.text(n.op->body);
        }
        if (n.what == ir::kind::call) h.text(n.callee->name);
    }
    for (int r = 0; r < root_count; ++r) h.word(static_cast<std::uint64_t>(roots[r]));
    return h.state;
}

constexpr bool has_gradients(const ir::node* nodes, int count) {
    for (int i = 0; i < count; ++i)
        if (nodes[i].what == ir::kind::gradient) return true;
    return false;
}

template <class Tree>
consteval auto lower() {
    static_assert(
        Tree::size.nodes <= ir::max_nodes,
        "sinter: the expression has more than 1024 nodes (y = x * x; z = y * y; ... doubles it at each step); let(y, "
        "[](const auto& y) { return y * y; }) has y once, or assign an intermediate result to an array");
    program_builder<(Tree::size.nodes <= ir::max_nodes ? Tree::size.nodes : 1)> b;
    if constexpr (Tree::size.nodes <= ir::max_nodes) {
        if constexpr (requires { Tree::emit_roots(b); })
            Tree::emit_roots(b);
        else
            b.roots[b.root_count++] = Tree::emit(b);
    }
    return b;
}

template <class Tree>
inline constexpr auto lowered = lower<Tree>();

/// The node count of a program without unknown names. A separate function keeps the error message short.
template <int UnknownNames>
constexpr int closed(int count) {
    static_assert(UnknownNames == 0,
                  "sinter: a name that let() defines is valid only in its body: return the result from the body");
    return count;
}

/// The IR program of an expression type.
template <class Tree>
inline constexpr ir::program program_of{
    lowered<Tree>.nodes,
    closed<lowered<Tree>.unknown_names>(lowered<Tree>.count),
    lowered<Tree>.roots,
    lowered<Tree>.root_count,
    lowered<Tree>.leaves,
    lowered<Tree>.scalars,
    lowered<Tree>.integers,
    hash_of(lowered<Tree>.nodes, lowered<Tree>.count, lowered<Tree>.roots, lowered<Tree>.root_count),
    has_gradients(lowered<Tree>.nodes, lowered<Tree>.count),
};

}  // namespace sinter::detail
