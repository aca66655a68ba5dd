// Stores the reductions beside which the factors of products are computed, such as the maxima and sums of a softmax.
// In a gradient, several products read what a softmax gives. Once its maxima and sums are stored, which is little,
// everything else about a factor is computed element by element: so its readers can compute it for themselves
// (transforms/recompute.cpp), and it takes no memory.
#include <codegen/transforms/cut.hpp>

#include <algorithm>
#include <vector>

namespace sinter::codegen {
namespace {

class statistics {
public:
    explicit statistics(const graph& g)
        : g_(g), stored_(g.nodes.size(), 0), alone_(g.nodes.size(), 0), of_product_(g.nodes.size(), 0) {
        for (int i = 0; i < static_cast<int>(g.nodes.size()); ++i)
            of_product_[static_cast<std::size_t>(i)] =
                at(i).what == ir::kind::materialize ? is_large_product(i)
                                                    : std::any_of(at(i).in.begin(), at(i).in.end(), [&](int in) {
                                                          return in >= 0 && of_product_[static_cast<std::size_t>(in)];
                                                      });
    }

    bool find() {
        for (int i = 0; i < static_cast<int>(g_.nodes.size()); ++i)
            if (is_factor(i)) visit_factor(i);
        return std::any_of(stored_.begin(), stored_.end(), [](char s) { return s != 0; });
    }

    graph with_stores() const {
        graph made{{}, g_.roots, g_.leaves, g_.product};
        std::vector<int> now(g_.nodes.size());
        for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
            graph_node n = g_.nodes[i];
            for (int& in : n.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            n.alone = n.alone || (alone_[i] != 0 && stored_[i] == 0);
            now[i] = static_cast<int>(made.nodes.size());
            made.nodes.push_back(n);
            if (stored_[i] == 0) continue;
            graph_node store;
            store.what = ir::kind::materialize;
            store.type = n.type;
            store.rank = n.rank;
            store.shape = n.shape;
            store.in[0] = now[i];
            store.alone = alone_[i] != 0;
            now[i] = static_cast<int>(made.nodes.size());
            made.nodes.push_back(store);
        }
        for (graph_root& r : made.roots) r.node = now[static_cast<std::size_t>(r.node)];
        return made;
    }

private:
    const graph_node& at(int i) const { return g_.nodes[static_cast<std::size_t>(i)]; }
    std::int64_t elements(int i) const { return size_of_shape(at(i).shape, at(i).rank); }

    /// Whether a node is a product with more elements than either of its operands: only these may pay again.
    bool is_large_product(int product) const {
        if (at(product).bits == 0) return false;
        int i = at(product).in[0];
        while (at(i).what == ir::kind::cast || at(i).what == ir::kind::index_map) i = at(i).in[0];
        if (at(i).what != ir::kind::reduction) return false;
        const graph_node& factors = at(at(i).in[0]);
        return factors.what == ir::kind::elementwise && std::all_of(factors.in.begin(), factors.in.end(), [&](int in) {
                   return in < 0 || elements(array_under(in)) < elements(product);
               });
    }

    /// What a view or a conversion is of.
    int array_under(int i) const {
        while (at(i).what == ir::kind::cast || at(i).what == ir::kind::index_map || at(i).what == ir::kind::reshape)
            i = at(i).in[0];
        return i;
    }

    /// Whether a node is stored as halves, to be read by products.
    bool is_factor(int i) const {
        return at(i).what == ir::kind::materialize && at(i).bits == 0 && is_half(at(i).type);
    }

    /// A factor's reductions, if it is computed of large products. The first factor's stay with it, so that one pass
    /// can compute all of it; what is computed beside reductions that another factor needs is stored by other kernels.
    void visit_factor(int factor) {
        if (of_product_[static_cast<std::size_t>(at(factor).in[0])] == 0) return;
        std::vector<int> reductions;
        std::vector<char> met(g_.nodes.size(), 0);
        bool shares = false;
        find_reductions(at(factor).in[0], elements(factor), met, reductions, shares);
        for (const int r : reductions) {
            stored_[static_cast<std::size_t>(r)] = 1;
            alone_[static_cast<std::size_t>(r)] = shares;
        }
        if (shares) alone_[static_cast<std::size_t>(factor)] = 1;
    }

    void find_reductions(int i, std::int64_t below, std::vector<char>& met, std::vector<int>& found, bool& shares) {
        if (i < 0 || met[static_cast<std::size_t>(i)] != 0) return;
        met[static_cast<std::size_t>(i)] = 1;
        const graph_node& n = at(i);
        if (n.what == ir::kind::materialize || n.what == ir::kind::leaf || n.what == ir::kind::call) return;
        if (n.what == ir::kind::reduction && elements(i) < below) {
            if (stored_[static_cast<std::size_t>(i)] != 0)
                shares = true;
            else
                found.push_back(i);
        }
        for (const int in : n.in) find_reductions(in, below, met, found, shares);
    }

    const graph& g_;
    std::vector<char> stored_, alone_;
    std::vector<char> of_product_;  ///< by node: whether it is computed of large products that are stored
};

}  // namespace

std::optional<graph> with_stored_statistics(const graph& g) {
    statistics s(g);
    if (!s.find()) return std::nullopt;
    return s.with_stores();
}

}  // namespace sinter::codegen
