// Legalizes half types, which are for storage only. A loaded half is converted to float32 at once; everything in
// between is computed in float32; a result is rounded once, when it is stored or cast to half by the program. So no op,
// reduction or accumulator sees a half, and values that stay in a kernel are not rounded.
//
// A half node gets up to two nodes in its place, each made on demand: one of its own dtype if its elements are already
// rounded (a leaf, a cast, or a view of one), and a float32 one that computations use.
#include <codegen/transforms/pass.hpp>

#include <bit>

namespace sinter::codegen {
namespace {

class storage_legalizer {
public:
    explicit storage_legalizer(const graph& g) : g_(g), of_(g.nodes.size()) { nodes_.reserve(g.nodes.size()); }

    void run(graph& result) {
        for (std::size_t i = 0; i < g_.nodes.size(); ++i) place(static_cast<int>(i));
        for (graph_root& r : result.roots) r.node = stored(r.node);
        result.nodes = std::move(nodes_);
    }

private:
    struct forms {
        int stored = -1;       ///< node of the original dtype
        int computed = -1;     ///< node of float32, if the original dtype is half
        bool rounded = false;  ///< the elements are halves, so float32 adds no precision
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
        if (!is_half(g_.nodes[i].type)) return f.stored;
        if (f.computed < 0) f.computed = cast(f.stored, computed_in(g_.nodes[i].type));
        return f.computed;
    }

    void place(int i) {
        graph_node n = g_.nodes[i];
        const bool half = is_half(n.type);
        const bool view = n.what == ir::kind::index_map || n.what == ir::kind::reshape;
        if (view && half && of_[n.in[0]].rounded) {
            n.in[0] = of_[n.in[0]].stored;
            if (n.in[1] >= 0) n.in[1] = computed(n.in[1]);
            of_[i] = {push(n), -1, true};
            return;
        }
        if (n.what == ir::kind::cast && half && g_.nodes[n.in[0]].type == n.type) {  // not rounded yet
            of_[i] = {stored(n.in[0]), -1, true};
            return;
        }
        for (int& in : n.in)
            if (in >= 0) in = computed(in);
        if (n.what == ir::kind::cast && nodes_[n.in[0]].type == n.type) {
            of_[i].stored = n.in[0];
        } else if (half && !is_rounded(n)) {
            n.type = computed_in(n.type);
            if (n.what == ir::kind::constant) n.bits = widened(g_.nodes[i]);
            of_[i].computed = push(n);
        } else {
            of_[i] = {push(n), -1, true};
        }
    }

    /// Whether the elements of a half node are halves. Scalars and the results of earlier kernels are passed as
    /// float32.
    bool is_rounded(const graph_node& n) const {
        return n.what == ir::kind::cast || (n.what == ir::kind::leaf && g_.leaves[n.argument].type == n.type);
    }

    static std::uint64_t widened(const graph_node& constant) {
        const auto bits = static_cast<std::uint16_t>(constant.bits);
        const float value = constant.type == dtype::float16 ? static_cast<float>(std::bit_cast<float16>(bits))
                                                            : static_cast<float>(std::bit_cast<bfloat16>(bits));
        return std::bit_cast<std::uint32_t>(value);
    }

    const graph& g_;
    std::vector<forms> of_;
    std::vector<graph_node> nodes_;
};

}  // namespace

void legalize_storage(graph& g) { storage_legalizer(g).run(g); }

}  // namespace sinter::codegen
