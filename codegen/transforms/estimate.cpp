// Estimates the cost of a cut from the graph alone: launches, and bytes moved per kernel.
#include <codegen/transforms/cut.hpp>

#include <algorithm>
#include <vector>

namespace sinter::codegen {
namespace {

// Of an H200, as in codegen/schedule/schedule.hpp: this pass knows no device.
constexpr double bytes_per_second = 4.27e12, cached_bytes = 60 << 20;

/// Longer rows are not register-cached between loops.
constexpr double max_row_bytes = 512 << 10;

/// The bytes moved by one kernel. An array counts once per loop that reads it, unless caches keep it between the loops.
class kernel_bytes {
public:
    kernel_bytes(const graph& whole, const std::vector<char>& stored, const kernel_roots& roots)
        : whole_(whole),
          stored_(stored),
          roots_(roots),
          depth_(whole.nodes.size(), -1),
          reads_(whole.leaves.size() + whole.nodes.size()) {
        for (const graph_root& r : roots) loops_ = std::max(loops_, depth_of(r.node) + 1);
        met_.resize(whole.nodes.size() * static_cast<std::size_t>(loops_));
    }

    bool reduces() const { return loops_ > 1; }

    /// The matrix products that it has read, once total() is called.
    std::vector<int> products() const {
        std::vector<int> found;
        for (std::size_t i = 0; i < whole_.nodes.size(); ++i)
            if (reads_[whole_.leaves.size() + i].loops != 0 && is_matrix_product(whole_.nodes[i]))
                found.push_back(static_cast<int>(i));
        return found;
    }

    double total() {
        double written = 0, groups = 1;
        for (const graph_root& r : roots_) {
            visit(r.node, depth_of(r.node), elements(r.node));
            written += elements(r.node) * static_cast<double>(size_of(stored_type(whole_, r.node)));
        }
        const graph_node& first = whole_.nodes[roots_[0].node];
        for (int a = 0; a < first.rank; ++a)
            if (roots_[0].outer >> a & 1) groups *= static_cast<double>(first.shape[a]);
        double once = 0, again = 0;
        for (const array_read& read : reads_) {
            if (read.loops == 0) continue;
            once += read.bytes;
            again += read.bytes * __builtin_popcount(read.loops);
        }
        const bool kept = groups > 1 && along_rows_ && once / groups <= max_row_bytes;
        return written + (kept || once <= cached_bytes ? once : again);
    }

private:
    struct array_read {
        double bytes = 0;
        std::uint32_t loops = 0;  ///< bit d: read in a loop that depends on the results of d others
    };

    double elements(int i) const {
        return static_cast<double>(size_of_shape(whole_.nodes[i].shape, whole_.nodes[i].rank));
    }
    bool is_own(int i) const {
        return std::any_of(roots_.begin(), roots_.end(),
                           [i](const graph_root& r) { return r.node == i && r.is_read(); });
    }
    bool is_loaded(int i) const { return whole_.nodes[i].what == ir::kind::leaf || (stored_[i] != 0 && !is_own(i)); }

    /// The depth of nested reductions up to a node, counting only those that this kernel computes.
    int depth_of(int i) {
        if (depth_[i] >= 0) return depth_[i];
        int depth = 0;
        if (!is_loaded(i)) {
            for (int in : whole_.nodes[i].in)
                if (in >= 0) depth = std::max(depth, depth_of(in));
            depth += whole_.nodes[i].what == ir::kind::reduction;
        }
        return depth_[i] = depth;
    }

    /// `most`: an upper bound of the node's elements that are needed.
    void visit(int i, int loop, double most) {
        const graph_node& n = whole_.nodes[i];
        const double needed = std::min(most, elements(i));
        if (is_loaded(i)) {
            const auto leaves = static_cast<int>(whole_.leaves.size());
            array_read& read = reads_[n.what == ir::kind::leaf ? leaves - 1 - n.argument : leaves + i];
            const double bytes = needed * static_cast<double>(size_of(stored_type(whole_, i)));
            read.bytes = std::max(read.bytes, bytes);
            read.loops |= 1u << std::min(loop, 31);
            return;
        }
        double& met = met_[i * loops_ + loop];
        if (met >= needed && needed > 0) return;
        met = needed;
        if (n.what == ir::kind::reduction) {
            const graph_node& operand = whole_.nodes[n.in[0]];
            loop = depth_of(i) - 1;
            if (operand.rank > 0 && (n.axes >> (operand.rank - 1) & 1) == 0 && operand.shape[operand.rank - 1] > 1)
                along_rows_ = false;
            const double own = elements(i);
            return visit(n.in[0], loop, own > 0 ? needed * (elements(n.in[0]) / own) : 0);
        }
        for (int in : n.in)
            if (in >= 0) visit(in, loop, n.what == ir::kind::scan ? elements(in) : needed);
    }

    const graph& whole_;
    const std::vector<char>& stored_;
    const kernel_roots& roots_;
    std::vector<int> depth_;
    std::vector<array_read> reads_;  ///< of the leaves, the last one first, and of the stored nodes
    int loops_ = 0;
    std::vector<double> met_;  ///< by node and loop: the elements that are needed
    bool along_rows_ = true;
};

}  // namespace

cut_estimate estimate_of(const graph& whole, const std::vector<kernel_roots>& kernels) {
    std::vector<char> stored(whole.nodes.size(), 0);
    for (const kernel_roots& roots : kernels)
        for (const graph_root& r : roots)
            if (r.is_read()) stored[r.node] = 1;
    const auto is_element = [&](const graph_root& r) {
        return size_of_shape(whole.nodes[r.node].shape, whole.nodes[r.node].rank) == 1;
    };
    cut_estimate e;
    std::vector<int> readers(whole.nodes.size(), 0), epilogues(whole.nodes.size(), 0);
    for (const kernel_roots& roots : kernels) {
        kernel_bytes bytes(whole, stored, roots);
        e.seconds += seconds_per_launch + bytes.total() / bytes_per_second;
        const std::vector<int> products = bytes.products();
        for (const int p : products) ++readers[p];
        if (!products.empty() && !bytes.reduces()) ++epilogues[products.front()];
        if (!std::all_of(roots.begin(), roots.end(), is_element)) continue;
        ++e.fusible;
        e.saved += seconds_per_launch;
    }
    for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
        if (readers[i] != 1 || epilogues[i] != 1) continue;
        const graph_node& n = whole.nodes[i];
        const auto bytes = static_cast<double>(size_of_shape(n.shape, n.rank)) *
                           static_cast<double>(size_of(stored_type(whole, static_cast<int>(i))));
        ++e.fusible;
        e.saved += seconds_per_launch + 2 * bytes / bytes_per_second;
    }
    return e;
}

}  // namespace sinter::codegen
