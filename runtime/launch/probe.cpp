// Makes a program of a view of one node, and evaluates it.
#include <runtime/launch/probe.hpp>

#include <codegen/autodiff/gradient.hpp>
#include <codegen/transforms/pass.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/launch/evaluate_once.hpp>
#include <runtime/memory/copy.hpp>

#include <vector>

namespace sinter::codegen {
namespace {

graph expanded(const ir::program& program, const detail::arguments_view& arguments) {
    graph g = bind(program, arguments);
    unify_inputs(g);
    if (program.gradients) expand_gradients(g);
    return g;
}

/// The graph as a program that can be evaluated. Rows defined by text are passed as addresses among the integers.
flat_program flattened(const graph& g) {
    flat_program p(g);
    for (ir::node& n : p.nodes) {
        if (n.op == nullptr || n.op->builtin != text_row) continue;
        n.argument = static_cast<std::int16_t>(p.integers.size());
        p.integers.push_back(reinterpret_cast<std::int64_t>(n.op));
    }
    return p;
}

/// Which of the nodes up to `last` the node `last` depends on.
std::vector<bool> needed_by(const std::vector<ir::node>& nodes, int last) {
    std::vector<bool> needed(static_cast<std::size_t>(last) + 1);
    needed.back() = true;
    for (auto i = static_cast<std::size_t>(last) + 1; i-- > 0;)
        for (int in : nodes[i].in)
            if (needed[i] && in >= 0) needed[static_cast<std::size_t>(in)] = true;
    return needed;
}

}  // namespace

extents index_of_element(std::int64_t element, const extents& shape, int rank) {
    extents at{};
    for (auto a = static_cast<std::size_t>(rank); a-- > 0; element /= shape[a]) at[a] = element % shape[a];
    return at;
}

probe::probe(const ir::program& program, const detail::arguments_view& arguments)
    : arguments_(arguments),
      scalars_(program.scalars),
      graph_(expanded(program, arguments)),
      flat_(flattened(graph_)) {}

bool probe::needs(int node, int earlier) const {
    return earlier <= node && needed_by(flat_.nodes, node)[static_cast<std::size_t>(earlier)];
}

detail::storage_ref probe::leaf(int i) const {
    const detail::storage_ref& s = arguments_.leaves[i];
    if (s->where->as_mesh() == nullptr) return s;
    detail::evaluation_result whole{s->rank, s->extents};
    copy_elements(s, whole);
    return std::move(whole.made);
}

detail::storage_ref probe::read(int node, const extents& at, std::uint32_t along) const {
    const std::vector<bool> needed = needed_by(flat_.nodes, node);
    std::vector<ir::node> nodes;
    std::vector<int> now(needed.size(), -1), leaf_now(graph_.leaves.size(), -1);
    std::vector<detail::storage_ref> leaves;
    const auto push = [&](const ir::node& n) {
        nodes.push_back(n);
        return static_cast<int>(nodes.size()) - 1;
    };
    for (std::size_t i = 0; i < needed.size(); ++i) {
        if (!needed[i]) continue;
        ir::node n = flat_.nodes[i];
        for (std::int16_t& in : n.in)
            if (in >= 0) in = static_cast<std::int16_t>(now[static_cast<std::size_t>(in)]);
        if (n.what == ir::kind::leaf) {
            int& number = leaf_now[static_cast<std::size_t>(n.argument)];
            if (number < 0) {
                number = static_cast<int>(leaves.size());
                leaves.push_back(leaf(n.argument));
            }
            n.argument = static_cast<std::int16_t>(number);
        }
        now[i] = push(n);
    }

    const graph_node& source = this->node(node);
    std::vector<std::int64_t> integers = flat_.integers;
    ir::node view{.what = ir::kind::index_map, .type = source.type};
    view.argument = static_cast<std::int16_t>(integers.size());
    view.in[0] = static_cast<std::int16_t>(nodes.size() - 1);
    extents shape{};
    for (int a = 0; a < source.rank; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        if (along >> a & 1) {
            shape[static_cast<std::size_t>(view.rank)] = source.shape[axis];
            integers.insert(integers.end(), {view.rank++, 0, 1});
        } else {
            integers.insert(integers.end(), {-1, at[axis], 0});
        }
    }
    integers.insert(integers.end(), shape.begin(), shape.begin() + view.rank);
    int root = push(view);
    if (is_storage_only(source.type)) {
        ir::node wide{.what = ir::kind::cast, .type = dtype::float32, .rank = view.rank};
        wide.in[0] = static_cast<std::int16_t>(root);
        root = push(wide);
    }

    ir::program p;
    p.nodes = nodes.data();
    p.node_count = static_cast<int>(nodes.size());
    p.roots = &root;
    p.root_count = 1;
    p.leaves = static_cast<int>(leaves.size());
    p.scalars = scalars_;
    p.integers = static_cast<int>(integers.size());
    detail::evaluation_result result{view.rank, shape.data()};
    evaluate_once(p, {leaves.data(), arguments_.scalars, integers.data()}, &result);
    return std::move(result.made);
}

}  // namespace sinter::codegen
