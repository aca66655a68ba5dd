// Legalizes the floating types that are for storage only. What is loaded is converted to float32 at once; everything in
// between is computed in float32; a result is rounded once, when it is stored or cast to such a type by the program. So
// no op, reduction or accumulator sees one, and values that stay in a kernel are not rounded.
//
// A node of such a type gets up to two nodes in its place, each made on demand: one of its own dtype if its elements
// are already rounded (a leaf, a cast, or a view of one), and a float32 one that computations use.
#include <codegen/transforms/pass.hpp>

#include <sinter/op/builtin.hpp>

#include <bit>
#include <cstring>

namespace sinter::codegen {
namespace {

class storage_legalizer {
public:
    explicit storage_legalizer(const graph& g) : g_(g), of_(g.nodes.size()), summed_(g.nodes.size()) {
        nodes_.reserve(g.nodes.size());
    }

    void run(graph& result) {
        find_summed_products();
        for (std::size_t i = 0; i < g_.nodes.size(); ++i) place(static_cast<int>(i));
        for (graph_root& r : result.roots) r.node = stored(r.node);
        result.nodes = std::move(nodes_);
    }

private:
    struct forms {
        int stored = -1;       ///< node of the original dtype
        int computed = -1;     ///< node of float32, if the original dtype is for storage only
        bool rounded = false;  ///< the elements are already rounded, so float32 adds no precision
    };

    int push(const graph_node& n) {
        nodes_.push_back(n);
        return static_cast<int>(nodes_.size()) - 1;
    }

    int cast(int in, dtype type) {
        graph_node n;
        n.what = ir::kind::cast;
        n.type = type;
        n.rank = nodes_[in].rank;
        n.shape = nodes_[in].shape;
        n.in[0] = in;
        return push(n);
    }

    /// The replacement of node i in its own dtype.
    int stored(int i) {
        forms& f = of_[i];
        if (f.stored < 0) f.stored = cast(f.computed, g_.nodes[i].type);
        return f.stored;
    }

    /// The replacement of node i that computations use.
    int computed(int i) {
        forms& f = of_[i];
        if (!is_storage_only(g_.nodes[i].type)) return f.stored;
        if (f.computed < 0) f.computed = cast(f.stored, computed_in(g_.nodes[i].type));
        return f.computed;
    }

    /// The products that are summed. Tensor cores multiply halves, so a float8 factor becomes one first, if the other
    /// factor is for storage, too: the number is the same.
    void find_summed_products() {
        for (const graph_node& n : g_.nodes)
            if (n.what == ir::kind::reduction && is_op(n, builtin_op::sum) && is_op(at(n.in[0]), builtin_op::multiply))
                summed_[static_cast<std::size_t>(n.in[0])] = 1;
    }

    static bool is_op(const graph_node& n, builtin_op op) {
        return n.op != nullptr && n.op->builtin == static_cast<int>(op);
    }
    const graph_node& at(int i) const { return g_.nodes[static_cast<std::size_t>(i)]; }
    bool is_narrow_factor(int i) const { return is_storage_only(at(i).type) && of_[i].rounded; }

    /// The replacement of node i as a factor beside `other`.
    int factor(int i, int other) {
        if (!is_narrow_factor(i) || !is_narrow_factor(other) || !is_float8(at(i).type)) return computed(i);
        const dtype half = is_half(at(other).type) ? at(other).type : dtype::float16;
        return cast(cast(of_[i].stored, half), dtype::float32);
    }

    void place(int i) {
        graph_node n = g_.nodes[i];
        const bool narrow = is_storage_only(n.type);
        const bool view = n.what == ir::kind::index_map || n.what == ir::kind::reshape;
        if (view && narrow && of_[n.in[0]].rounded) {
            n.in[0] = of_[n.in[0]].stored;
            if (n.in[1] >= 0) n.in[1] = computed(n.in[1]);
            of_[i] = {push(n), -1, true};
            return;
        }
        if (n.what == ir::kind::cast && narrow && g_.nodes[n.in[0]].type == n.type) {  // not rounded yet
            of_[i] = {stored(n.in[0]), -1, true};
            return;
        }
        const auto operands = n.in;
        for (std::size_t o = 0; o < operands.size(); ++o)
            if (operands[o] >= 0)
                n.in[o] =
                    summed_[static_cast<std::size_t>(i)] ? factor(operands[o], operands[1 - o]) : computed(operands[o]);
        if (n.what == ir::kind::cast && nodes_[n.in[0]].type == n.type) {
            of_[i].stored = n.in[0];
        } else if (narrow && !is_rounded(n)) {
            n.type = computed_in(n.type);
            if (n.what == ir::kind::constant) n.bits = widened(g_.nodes[i]);
            of_[i].computed = push(n);
        } else {
            of_[i] = {push(n), -1, true};
        }
    }

    /// Whether the elements of a node of such a type are rounded. Scalars and the results of earlier kernels are passed
    /// as float32.
    bool is_rounded(const graph_node& n) const {
        return n.what == ir::kind::cast || (n.what == ir::kind::leaf && g_.leaves[n.argument].type == n.type);
    }

    static std::uint64_t widened(const graph_node& constant) {
        return detail::with_dtype(constant.type, [&]<dtype D>() -> std::uint64_t {
            if constexpr (is_storage_only(D)) {
                element_t<D> value;
                std::memcpy(&value, &constant.bits, sizeof value);
                return std::bit_cast<std::uint32_t>(static_cast<float>(value));
            }
            return constant.bits;
        });
    }

    const graph& g_;
    std::vector<forms> of_;
    std::vector<char> summed_;  ///< of each node, whether it is a product that is summed
    std::vector<graph_node> nodes_;
};

}  // namespace

void legalize_storage(graph& g) { storage_legalizer(g).run(g); }

}  // namespace sinter::codegen
