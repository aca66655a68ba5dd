// Lowering: the number of nodes and arguments of a program, and what its hash tells apart.
#include <sinter.hpp>

namespace operands {
extern sinter::array<float, 2> x;
extern sinter::array<float, 2> y;
extern sinter::array<double, 2> d;
extern sinter::array<int, 2> i;
}  // namespace operands

using namespace operands;
using namespace sinter;

template <class E>
constexpr const sinter::ir::program& program_of = sinter::detail::program_of<typename E::tree_type>;
#define PROGRAM(...) program_of<decltype(__VA_ARGS__)>

constexpr bool has(const sinter::ir::program& p, int nodes, int leaves, int scalars, int integers) {
    return p.node_count == nodes && p.leaves == leaves && p.scalars == scalars && p.integers == integers;
}

static_assert(has(PROGRAM(x.as_expr()), 1, 1, 0, 0));
static_assert(has(PROGRAM(x + y), 3, 2, 0, 0));
static_assert(has(PROGRAM(x + x), 3, 2, 0, 0));  // that both are one array, only run time can tell
static_assert(has(PROGRAM(2 * x + 1), 5, 1, 2, 0));
static_assert(has(PROGRAM(-exp(x)), 3, 1, 0, 0));
static_assert(has(PROGRAM(x + d), 4, 2, 0, 0));  // a cast of x
static_assert(has(PROGRAM(where(x > 0, x, y)), 6, 3, 1, 0));
static_assert(has(PROGRAM(sum(x, axis=1_c)), 2, 1, 0, 0));
static_assert(has(PROGRAM(sum(x)), 2, 1, 0, 0));
static_assert(has(PROGRAM(sum(x, axis=1)), 2, 1, 0, 1));       // which axis is an argument
static_assert(has(PROGRAM(sum(i, axis={0, 1})), 3, 1, 0, 1));  // a cast to int64
static_assert(has(PROGRAM(transpose(x)), 2, 1, 0, 3 * 2 + 2));
static_assert(has(PROGRAM(mean(x, axis=0_c)), 4, 1, 1, 0));  // a sum, a count, a quotient

// The root is the last node and operands stand before their users.
constexpr bool in_order(const sinter::ir::program& p) {
    for (int n = 0; n < p.node_count; ++n)
        for (int in : p.nodes[n].in)
            if (in >= n) return false;
    return p.nodes[p.node_count - 1].what == sinter::ir::kind::elementwise;
}
static_assert(in_order(PROGRAM(exp(x - max(x, axis=1_c, keepdims)) / (y + 1) * d)));

// Equal hashes: the same computation, however it is spelled
static_assert(PROGRAM(x + y).hash == PROGRAM(y + x).hash);
static_assert(PROGRAM(2 * x).hash == PROGRAM(3.5 * y).hash);
static_assert(PROGRAM(sum(x, axis=1_c)).hash == PROGRAM(sum(y, axis=-1_c)).hash);
static_assert(PROGRAM(sum(x, axis=1)).hash == PROGRAM(sum(x, axis=0)).hash);
static_assert(PROGRAM(permute(x, {1, 0})).hash == PROGRAM(transpose(x)).hash);

// Different hashes: another op, order, dtype, rank, axis or shape of the tree
constexpr std::uint64_t hashes[] = {
    PROGRAM(x + y).hash,
    PROGRAM(x - y).hash,
    PROGRAM(d + d).hash,
    PROGRAM(x + d).hash,
    PROGRAM(d + x).hash,
    PROGRAM(x + 1).hash,
    PROGRAM(1 + x).hash,
    PROGRAM(x + sum(x, axis=0_c)).hash,
    PROGRAM(x + sum(x, axis=1_c)).hash,
    PROGRAM(x + sum(x, axis=0)).hash,
    PROGRAM(x + sum(x, axis=0_c, keepdims)).hash,
    PROGRAM(x + prod(x, axis=0_c)).hash,
    PROGRAM((x + y) + x).hash,
    PROGRAM(x + (y + x)).hash,
    PROGRAM(x < y).hash,
    PROGRAM(x <= y).hash,
    PROGRAM(exp(x)).hash,
    PROGRAM(exp2(x)).hash,
    PROGRAM(transpose(x)).hash,
    PROGRAM(broadcast_to(x, {2, 3})).hash,
    PROGRAM(broadcast_to(x, {1, 2, 3})).hash,
    PROGRAM(sinter::astype<int>(x)).hash,
    PROGRAM(sinter::astype<double>(x)).hash,
};

constexpr int first_collision() {
    int n = 0;
    for (std::uint64_t a : hashes) {
        for (int other = 0; other < n; ++other)
            if (hashes[other] == a) return n;
        ++n;
    }
    return -1;
}
// permute, transpose and broadcast_to of equal ranks are one program: their integers tell them apart.
static_assert(first_collision() == 19);

// An assignment that converts adds one cast, one that does not adds nothing.
template <class E, sinter::dtype D>
constexpr int assigned_nodes =
    sinter::detail::program_of<typename sinter::detail::root<typename E::tree_type, D>::type>.node_count;
static_assert(assigned_nodes<decltype(x + y), sinter::dtype::float32> == 3);
static_assert(assigned_nodes<decltype(x + y), sinter::dtype::float64> == 4);
