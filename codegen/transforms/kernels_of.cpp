// Cuts a graph into kernels by the algorithm of include/sinter/ir/partition.hpp, and assigns stored values to kernels.
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/ir/partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sinter::codegen {
namespace {

/// The extents of a root's outer axes.
std::vector<std::int64_t> outer_extents(const graph& whole, const graph_root& r) {
    std::vector<std::int64_t> all;
    const graph_node& n = whole.nodes[r.node];
    for (int a = 0; a < n.rank; ++a)
        if (r.outer >> a & 1) all.push_back(n.shape[a]);
    return all;
}

/// Whether a kernel stores a node for other kernels.
bool stores(const kernel_roots& roots, int node) {
    return std::any_of(roots.begin(), roots.end(),
                       [node](const graph_root& r) { return r.node == node && r.is_read(); });
}

/// A set of numbers below a bound.
class number_set {
public:
    explicit number_set(std::size_t bound) : words_(bound / bits + 1, 0) {}

    void add(int i) { words_[static_cast<std::size_t>(i) / bits] |= bit(i); }
    bool has(int i) const { return (words_[static_cast<std::size_t>(i) / bits] & bit(i)) != 0; }
    /// Whether two sets of one bound have a number in common.
    bool meets(const number_set& other) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            if ((words_[w] & other.words_[w]) != 0) return true;
        return false;
    }

private:
    static constexpr std::size_t bits = 64;
    static std::uint64_t bit(int i) { return std::uint64_t{1} << static_cast<std::size_t>(i) % bits; }

    std::vector<std::uint64_t> words_;
};

/// What a kernel reads: arrays, and values stored by other kernels.
struct kernel_reads {
    number_set leaves, nodes;
    bool reduces = false;  ///< whether it computes a reduction or a scan
};

class grouping {
public:
    grouping(const ir::program& program, const std::int64_t* integers, const graph& whole, weight by, fusion mode)
        : program_(program),
          integers_(integers),
          whole_(whole),
          mode_(mode),
          uses_(uses_of(whole)),
          stored_(whole.nodes.size(), 0) {
        if (by != weight::elements) return;
        for (const graph_node& n : whole.nodes) sizes_.push_back(size_of_shape(n.shape, n.rank));
    }

    std::vector<kernel_roots> run() && {
        ir::partitioner rule = rule_for(program_.nodes);
        const ir::partition_result& cut = rule.run(program_.roots, program_.root_count);
        const int of_roots = mode_ == fusion::off ? program_.root_count : 1;
        for (int k = of_roots; k < cut.launches; ++k) {
            stored_[cut.stored[k]] = 1;
            kernels_.push_back({{cut.stored[k], cut.outer[k], {}}});
        }
        // Nodes follow their operands, so in the order of nodes kernels read only what is already stored.
        std::sort(kernels_.begin(), kernels_.end(),
                  [](const kernel_roots& a, const kernel_roots& b) { return a[0].node < b[0].node; });
        add_roots(cut);
        if (mode_ == fusion::on) merge();
        return std::move(kernels_);
    }

private:
    /// The rule, to be run once. It has arrays of a program's largest size: callers have it on the stack, as a search
    /// for a cut runs hundreds.
    ir::partitioner rule_for(const ir::node* nodes) const {
        return {nodes, program_.node_count,  integers_,
                true,  mode_ == fusion::off, sizes_.empty() ? nullptr : sizes_.data()};
    }

    /// The nodes as a kernel sees them: nodes that others store are leaves, which set no axes.
    std::vector<ir::node> seen_by(const kernel_roots& roots) const {
        std::vector<ir::node> nodes(program_.nodes, program_.nodes + program_.node_count);
        for (int i = 0; i < program_.node_count; ++i) {
            if (!stored_[i] || stores(roots, i)) continue;
            nodes[i].what = ir::kind::leaf;
            std::fill(std::begin(nodes[i].in), std::end(nodes[i].in), -1);
        }
        return nodes;
    }

    /// Adds the program's roots. Roots with the same outer extents share a kernel; without fusion each has its own.
    /// Roots whose axes are set by a reduction come first, and the others join their kernels where possible.
    void add_roots(const ir::partition_result& cut) {
        const auto first = static_cast<std::ptrdiff_t>(kernels_.size());
        std::vector<int> leading(kernels_.size());  // per kernel: its first root
        const auto add = [&](int r) {
            graph_root root = whole_.roots[r];
            if (is_stored_as(root)) return;
            root.outer = cut.root_outer[r];
            const auto shares = [&](const kernel_roots& group) {
                const int lead = leading[&group - kernels_.data()];
                const bool alike = !cut.root_decides[r] || !cut.root_decides[lead] ||
                                   cut.root_rank[r] != cut.root_rank[lead] || cut.root_kept[r] == cut.root_kept[lead];
                return mode_ == fusion::on && alike && !is_by_itself(group) && !is_by_itself({root}) &&
                       outer_extents(whole_, group[0]) == outer_extents(whole_, root);
            };
            auto found = std::find_if(kernels_.begin() + first, kernels_.end(), shares);
            if (found == kernels_.end() && mode_ == fusion::on && !cut.root_decides[r]) {
                root.outer = (1u << whole_.nodes[root.node].rank) - 1;  // not bound to the reductions' axes
                found = std::find_if(kernels_.begin() + first, kernels_.end(), shares);
            }
            if (found == kernels_.end()) {
                leading.push_back(r);
                found = kernels_.emplace(kernels_.end());
            }
            found->push_back(root);
        };
        for (const bool decides : {true, false})
            for (int r = 0; r < program_.root_count; ++r)
                if (cut.root_decides[r] == decides) add(r);
        for (auto group = kernels_.begin() + first; group != kernels_.end(); ++group)
            std::sort(group->begin(), group->end(),
                      [](const graph_root& a, const graph_root& b) { return a.result < b.result; });
        if (mode_ == fusion::off)
            std::sort(kernels_.begin() + first, kernels_.end(),
                      [](const kernel_roots& a, const kernel_roots& b) { return a[0].result < b[0].result; });
    }

    /// Whether a kernel already stores this result in its final form, so that other kernels read the result itself.
    bool is_stored_as(const graph_root& result) {
        if (mode_ == fusion::off || result.placed || stored_type(whole_, result.node) != whole_.nodes[result.node].type)
            return false;
        for (kernel_roots& roots : kernels_)
            for (graph_root& r : roots) {
                if (r.node != result.node || r.result >= 0) continue;
                r.result = result.result;
                r.strides = result.strides;
                return r.read_later = true;
            }
        return false;
    }

    /// Merges pairs of kernels until no pair qualifies. Results are still stored before they are read.
    void merge() {
        for (const kernel_roots& roots : kernels_) reads_.push_back(reads_of(roots));
        for (std::size_t i = 0; i + 1 < kernels_.size();) {
            std::size_t with = 0;
            for (std::size_t j = i + 1; j < kernels_.size() && with == 0; ++j)
                if (merge(i, j)) with = j;
            if (with == 0) ++i;
        }
    }

    bool merge(std::size_t i, std::size_t j) {
        if (are_one_call(kernels_[i], kernels_[j])) {
            kernels_[i].insert(kernels_[i].end(), kernels_[j].begin(), kernels_[j].end());
            reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(j));
            kernels_.erase(kernels_.begin() + static_cast<std::ptrdiff_t>(j));
            return true;
        }
        if (kernels_[i].size() + kernels_[j].size() > ir::max_roots) return false;
        if (is_by_itself(kernels_[i]) || is_by_itself(kernels_[j])) return false;
        const kernel_reads &mine = reads_[i], &theirs = reads_[j];
        if (mine.reduces && theirs.reduces &&
            outer_extents(whole_, kernels_[i][0]) != outer_extents(whole_, kernels_[j][0]))
            return false;
        const bool follows = loads_from(theirs, kernels_[i]);
        if (!follows && !mine.leaves.meets(theirs.leaves) && !mine.nodes.meets(theirs.nodes)) return false;
        bool later = true, sooner = true;  // whether the merged kernel can run at j's position, or at i's
        for (std::size_t k = i + 1; k < j; ++k) {
            later = later && !loads_from(reads_[k], kernels_[i]);
            sooner = sooner && !loads_from(theirs, kernels_[k]);
        }
        if (!later && !sooner) return false;
        kernel_roots both = kernels_[i];
        both.insert(both.end(), kernels_[j].begin(), kernels_[j].end());
        if (!share_a_kernel(both)) return false;
        reads_[later ? j : i] = reads_of(both);
        kernels_[later ? j : i] = std::move(both);
        reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(later ? i : j));
        kernels_.erase(kernels_.begin() + static_cast<std::ptrdiff_t>(later ? i : j));
        return true;
    }

    kernel_reads reads_of(const kernel_roots& roots) const {
        kernel_reads reads{number_set(whole_.leaves.size()), number_set(whole_.nodes.size())};
        number_set met(whole_.nodes.size());
        const auto visit = [&](const auto& self, int i) -> void {
            if (met.has(i)) return;
            met.add(i);
            const graph_node& n = whole_.nodes[i];
            if (stored_[i] && !stores(roots, i)) {
                reads.nodes.add(i);
                return;
            }
            if (n.what == ir::kind::leaf) reads.leaves.add(n.argument);
            reads.reduces = reads.reduces || n.what == ir::kind::reduction || n.what == ir::kind::scan;
            for (int in : n.in)
                if (in >= 0) self(self, in);
        };
        for (const graph_root& r : roots) visit(visit, r.node);
        return reads;
    }

    /// Whether a kernel reads a value that another one stores.
    static bool loads_from(const kernel_reads& reads, const kernel_roots& from) {
        return std::any_of(from.begin(), from.end(),
                           [&](const graph_root& r) { return r.is_read() && reads.nodes.has(r.node); });
    }

    /// Whether two kernels store results of the same call: nodes that differ only in their result number. The operands
    /// are stored before the first of them.
    bool are_one_call(const kernel_roots& a, const kernel_roots& b) const {
        const graph_node &one = whole_.nodes[a[0].node], &other = whole_.nodes[b[0].node];
        if (one.what != ir::kind::call || other.what != ir::kind::call || !computes(a[0]) || !computes(b[0]))
            return false;
        return one.callee == other.callee && one.in == other.in && one.integers == other.integers &&
               one.bits != other.bits;
    }
    /// Whether a kernel computes its root, instead of copying it from where another kernel stored it.
    bool computes(const graph_root& r) const { return r.is_read() || !stored_[r.node]; }

    /// Whether the kernel must store only this result: a call, a node marked `alone`, a product (a library may compute
    /// it), and what fuse_epilogue makes a part of a product.
    bool is_by_itself(const kernel_roots& roots) const {
        const graph_node& n = whole_.nodes[roots[0].node];
        return n.alone || n.what == ir::kind::call || is_matrix_product(n) || is_only_epilogue(roots[0].node);
    }

    /// Whether a node is a function of a product's elements and of single numbers, or has these in another order, and
    /// nothing else reads the product.
    bool is_only_epilogue(int i) const {
        const graph_node& n = whole_.nodes[i];
        if (uses_[i] > 1) return false;
        if (n.what == ir::kind::materialize) return n.bits != 0;
        if (n.what == ir::kind::cast || is_permutation(whole_, i)) return is_only_epilogue(n.in[0]);
        if (n.what != ir::kind::elementwise) return false;
        int array = -1;
        for (const int in : n.in) {
            if (in < 0 || whole_.nodes[in].rank == 0) continue;
            if (array >= 0) return false;
            array = in;
        }
        return array >= 0 && is_only_epilogue(array);
    }

    /// Whether one kernel can store all roots and compute those that the others depend on. Sets their outer axes.
    bool share_a_kernel(kernel_roots& roots) const {
        std::vector<int> nodes;
        for (const graph_root& r : roots) nodes.push_back(r.node);
        const std::vector<ir::node> seen = seen_by(roots);
        ir::partitioner rule = rule_for(seen.data());
        const ir::partition_result& cut = rule.run(nodes.data(), static_cast<int>(nodes.size()), true);
        if (!cut.shares) return false;
        for (int i = 0; i < program_.node_count; ++i)
            if (cut.materialised[i]) return false;
        for (std::size_t r = 0; r < roots.size(); ++r) roots[r].outer = cut.root_outer[r];
        return std::all_of(roots.begin(), roots.end(), [&](const graph_root& r) {
            return outer_extents(whole_, r) == outer_extents(whole_, roots[0]);
        });
    }

    const ir::program& program_;
    const std::int64_t* integers_;
    const graph& whole_;
    fusion mode_;
    std::vector<int> uses_;  ///< per node: how many nodes and results read it
    std::vector<std::int64_t> sizes_;
    std::vector<char> stored_;  ///< the nodes that some kernel stores for others
    std::vector<kernel_roots> kernels_;
    std::vector<kernel_reads> reads_;  ///< one per kernel
};

}  // namespace

std::vector<kernel_roots> kernels_of(const ir::program& program, const std::int64_t* integers, const graph& whole,
                                     weight by, fusion mode) {
    return grouping(program, integers, whole, by, mode).run();
}

}  // namespace sinter::codegen
