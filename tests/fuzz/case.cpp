// From a case to a program.
#include <tests/fuzz/case.hpp>

#include <sinter/lower.hpp>
#include <tests/fuzz/known.hpp>

#include <utility>

namespace sinter::fuzz {
namespace {

/// A tree may have this many nodes; beyond it nodes are shared even so.
constexpr std::size_t max_tree_nodes = 400;

/// Copies the nodes that the roots need, operands first.
class lowering {
public:
    lowering(const fuzz_case& from, bool shares) : c_(from), shares_(shares), copied_(from.nodes.size(), -1) {}

    int copy(int i) {
        if (copied_[static_cast<std::size_t>(i)] >= 0) return copied_[static_cast<std::size_t>(i)];
        if (out_.nodes.size() > max_tree_nodes && !shares_) return too_large_ = true, 0;
        ir::node n = c_.nodes[static_cast<std::size_t>(i)];
        const int integers = integer_count(c_, n);
        for (std::int16_t& in : n.in)
            if (in >= 0) in = static_cast<std::int16_t>(copy(in));
        take_arguments(n, integers);
        out_.nodes.push_back(n);
        const int now = static_cast<int>(out_.nodes.size()) - 1;
        if (shares_) copied_[static_cast<std::size_t>(i)] = now;
        return now;
    }

    lowered_case take() {
        for (int root : c_.roots) out_.roots.push_back(copy(root));
        return std::move(out_);
    }
    bool too_large() const { return too_large_; }

private:
    template <class T>
    static std::int16_t append(std::vector<T>& to, const T* from, int n) {
        const auto first = static_cast<std::int16_t>(to.size());
        to.insert(to.end(), from, from + n);
        return first;
    }

    void take_arguments(ir::node& n, int integers) {
        const auto from = static_cast<std::size_t>(n.argument);
        if (n.what == ir::kind::leaf) {
            const int leaf = n.argument;
            n.argument = append(out_.leaves, &leaf, 1);
        } else if (n.what == ir::kind::scalar) {
            const ir::scalar_bits bits{c_.scalars[from].low, c_.scalars[from].high};
            n.argument = append(out_.scalars, &bits, 1);
        } else if (integers > 0) {
            n.argument = append(out_.integers, c_.integers.data() + from, integers);
        }
    }

    const fuzz_case& c_;
    bool shares_;
    bool too_large_ = false;
    std::vector<int> copied_;
    lowered_case out_;
};

/// Keeps the elements that are used, in their order; position p becomes now[p].
template <class T>
std::vector<int> keep(std::vector<T>& all, const std::vector<char>& used) {
    std::vector<int> now(all.size(), -1);
    std::vector<T> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!used[i]) continue;
        now[i] = static_cast<int>(kept.size());
        kept.push_back(std::move(all[i]));
    }
    all = std::move(kept);
    return now;
}

}  // namespace

extents row_major(const extents& shape, int rank) {
    extents strides{};
    std::int64_t step = 1;
    for (int a = rank - 1; a >= 0; --a) {
        strides[static_cast<std::size_t>(a)] = step;
        step *= shape[static_cast<std::size_t>(a)];
    }
    return strides;
}

int integer_count(const fuzz_case& c, const ir::node& n) {
    if (n.what == ir::kind::reduction || n.what == ir::kind::scan) return n.axes_known ? 0 : 1;
    if (n.what == ir::kind::index_map)
        return ir::index_map_integers(c.nodes[static_cast<std::size_t>(n.in[0])].rank, n.rank);
    if (n.what == ir::kind::reshape || n.what == ir::kind::iota) return n.rank;
    if (n.what == ir::kind::call) return n.callee->integers;
    return 0;
}

ir::program lowered_case::program() const {
    ir::program p;
    p.nodes = nodes.data();
    p.node_count = static_cast<int>(nodes.size());
    p.roots = roots.data();
    p.root_count = static_cast<int>(roots.size());
    p.leaves = static_cast<int>(leaves.size());
    p.scalars = static_cast<int>(scalars.size());
    p.integers = static_cast<int>(integers.size());
    p.hash = detail::hash_of(p.nodes, p.node_count, p.roots, p.root_count);
    return p;
}

lowered_case lower(const fuzz_case& c) {
    lowering tree(c, false);
    lowered_case lowered;
    if (c.as_tree) lowered = tree.take();
    if (!c.as_tree || tree.too_large()) lowered = lowering(c, true).take();
    for (const ir::node& n : lowered.nodes)
        if (n.what == ir::kind::scalar && is_storage_only(n.type)) {  // as scalars travel
            ir::scalar_bits& s = lowered.scalars[static_cast<std::size_t>(n.argument)];
            s.bits = bits_of(dtype::float32, read(n.type, {s.bits})).low;
        }
    return lowered;
}

void sweep(fuzz_case& c) {
    lowered_case kept = lowering(c, true).take();

    std::vector<char> leaf_used(c.leaves.size(), 0), buffer_used(c.buffers.size(), 0);
    for (int l : kept.leaves) leaf_used[static_cast<std::size_t>(l)] = 1;
    if (c.target >= 0 && !leaf_used[static_cast<std::size_t>(c.target)]) c.target = fresh_target;
    const std::vector<int> leaf_now = keep(c.leaves, leaf_used);
    for (const leaf& l : c.leaves) buffer_used[static_cast<std::size_t>(l.buffer)] = 1;
    if (c.into.buffer >= 0) buffer_used[static_cast<std::size_t>(c.into.buffer)] = 1;
    const std::vector<int> buffer_now = keep(c.buffers, buffer_used);
    for (leaf& l : c.leaves) l.buffer = buffer_now[static_cast<std::size_t>(l.buffer)];
    if (c.into.buffer >= 0) c.into.buffer = buffer_now[static_cast<std::size_t>(c.into.buffer)];
    if (c.target >= 0) c.target = leaf_now[static_cast<std::size_t>(c.target)];

    for (ir::node& n : kept.nodes)
        if (n.what == ir::kind::leaf)
            n.argument = static_cast<std::int16_t>(
                leaf_now[static_cast<std::size_t>(kept.leaves[static_cast<std::size_t>(n.argument)])]);
    c.nodes = std::move(kept.nodes);
    c.roots = std::move(kept.roots);
    c.integers = std::move(kept.integers);
    c.scalars.clear();
    for (const ir::scalar_bits& s : kept.scalars) c.scalars.push_back({s.bits, s.more});
}

}  // namespace sinter::fuzz
