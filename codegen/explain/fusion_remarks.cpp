// Walks each kernel of the cut down to the values that other kernels store for it, and reports why the rule of
// include/sinter/ir/partition.hpp stored them.
#include <codegen/explain/fusion_remarks.hpp>
#include <codegen/ir/element_functions.hpp>
#include <codegen/ir/print.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// The operand of a call, as which a node is visited.
struct call_operand {
    int call = -1, operand = -1;
};

class walk {
public:
    walk(const kernel_cut& cut, std::uint32_t folded_results, const std::vector<call_site>& calls)
        : folded_results_(folded_results),
          calls_(calls),
          whole_(cut.whole),
          kernels_(cut.kernels),
          stored_(cut.whole.nodes.size(), 0),
          reduces_(cut.whole.nodes.size(), 0),
          said_(cut.whole.nodes.size(), 0) {
        for (const kernel_roots& roots : kernels_)
            for (const graph_root& r : roots) stored_[r.node] = static_cast<char>(stored_[r.node] != 0 || r.is_read());
        for (std::size_t i = 0; i < whole_.nodes.size(); ++i) {
            reduces_[i] = is_reduction(static_cast<int>(i));
            for (int in : whole_.nodes[i].in) reduces_[i] = static_cast<char>(reduces_[i] || (in >= 0 && reduces_[in]));
        }
    }

    std::vector<std::string> run() {
        for (auto k = kernels_.rbegin(); k != kernels_.rend(); ++k) {
            if (is_folded(*k)) continue;
            roots_ = &*k;
            met_.assign(whole_.nodes.size(), 0);
            decisive_ = -1;
            for (const graph_root& r : *k) find_decisive(r.node);
            met_.assign(whole_.nodes.size(), 0);
            for (const graph_root& r : *k) visit(r.node, false, false);
        }
        for (const int i : shared_)
            if (said_[i] == 0) add(described(i) + " is needed by several kernels: one stores it for the others.");
        say_of_results();
        return std::move(reasons_);
    }

private:
    /// Whether other kernels store all results of this one.
    bool is_folded(const kernel_roots& roots) const {
        return std::all_of(roots.begin(), roots.end(), [this](const graph_root& r) {
            return r.result >= 0 && (folded_results_ >> r.result & 1) != 0;
        });
    }
    bool is_reduction(int i) const {
        return whole_.nodes[i].what == ir::kind::reduction || whole_.nodes[i].what == ir::kind::scan;
    }
    std::int64_t elements_read(int reduction) const {
        const graph_node& operand = whole_.nodes[whole_.nodes[reduction].in[0]];
        return size_of_shape(operand.shape, operand.rank);
    }
    bool is_loaded(int i) const {
        return stored_[i] != 0 && std::none_of(roots_->begin(), roots_->end(),
                                               [i](const graph_root& r) { return r.node == i && r.is_read(); });
    }

    /// Finds the reduction that sets the kernel's outer axes: the one over the most elements, among the outermost ones.
    void find_decisive(int i) {
        if (met_[i]++ != 0 || is_loaded(i)) return;
        if (is_reduction(i)) {
            if (decisive_ < 0 || elements_read(i) > elements_read(decisive_)) decisive_ = i;
            return;
        }
        for (const int in : whole_.nodes[i].in)
            if (in >= 0) find_decisive(in);
    }

    /// Whether a call's kernels compute an operand, or take a result of it, by element functions.
    template <class F>
    bool any_call_like(int node, F does) const {
        const graph_node& n = whole_.nodes[node];
        return std::any_of(calls_.begin(), calls_.end(), [&](const call_site& call) {
            return call.callee == n.callee && n.integers == call.integers && call.operands == operands_of(whole_, n) &&
                   does(call);
        });
    }

    void visit(int i, bool at_computed_places, bool of_product, call_operand of_call = {}) {
        const graph_node& n = whole_.nodes[i];
        if (is_loaded(i)) return say(i, at_computed_places, of_product, of_call);
        if (met_[i]++ != 0) return;
        const bool behind =
            at_computed_places || n.what == ir::kind::reshape || (n.what == ir::kind::index_map && n.in[1] >= 0);
        for (int o = 0; o < ir::max_operands; ++o)
            if (const int in = n.in[static_cast<std::size_t>(o)]; in >= 0)
                visit(in, behind && n.what != ir::kind::reduction,
                      of_product || (n.what == ir::kind::materialize && n.bits != 0),
                      n.what == ir::kind::call ? call_operand{i, o} : call_operand{});
    }

    void add(std::string reason) {
        if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end())
            reasons_.push_back(std::move(reason));
    }

    /// The value below materialize nodes that are no products.
    int value_of(int i) const {
        while (whole_.nodes[i].what == ir::kind::materialize && whole_.nodes[i].bits == 0) i = whole_.nodes[i].in[0];
        return i;
    }

    void say(int stored, bool at_computed_places, bool of_product, call_operand of_call) {
        const int i = value_of(stored);
        const graph_node& n = whole_.nodes[i];
        if (n.what == ir::kind::materialize)
            return add(described(i) +
                       " is a matrix product, which is a separate launch: of a library if one supports it.");
        if (n.what == ir::kind::call) {
            if (any_call_like(i, [&](const call_site& c) { return is_consumed(c, static_cast<int>(n.bits)); })) return;
            return add(described(i) + " is a function of whole arrays, which is a separate step.");
        }
        if (of_call.call >= 0) {
            if (any_call_like(of_call.call, [&](const call_site& c) { return is_computed(c, of_call.operand); }))
                return;
            return add(described(i) +
                       " is an operand of a function of whole arrays, which reads operands from memory: an earlier "
                       "kernel stores it.");
        }
        if (of_product)
            return add(described(i) +
                       " is an operand of a matrix product, which reads operands from memory: an earlier kernel "
                       "stores it.");
        if (!reduces_[i])
            return add(described(i) + " is read by several kernels: the first of them stores it for the others.");
        if (n.what == ir::kind::scan)
            return add(
                fmt::format("{} does not run along the axes of the kernel that reads it, in that kernel's direction, "
                            "from end to end: an earlier kernel stores it.",
                            described(i)));
        if (at_computed_places)
            return add(
                fmt::format("{} is read at computed indices, as after a reshape or a take: a group of threads cannot "
                            "know which of the results it will need, so an earlier kernel stores them all.",
                            described(i)));
        if (decisive_ < 0) return shared_.push_back(i);  // unless another kernel gives a more specific reason
        said_[i] = 1;
        add(
            fmt::format("{} keeps other axes than {}, which determines what a group of threads computes: each group "
                        "would need results of the others, so an earlier kernel stores them.",
                        described(i), described(decisive_)));
    }

    /// Explains results in separate kernels that do not read each other.
    void say_of_results() {
        const auto is_final = [this](const graph_root& root) {
            return root.result >= 0 && (!root.read_later || folded_results_ != 0);  // its reader may have been folded
        };
        const kernel_roots* of_first = nullptr;
        for (const kernel_roots& roots : kernels_) {
            const auto r = std::find_if(roots.begin(), roots.end(), is_final);
            if (r == roots.end() || is_folded(roots)) continue;
            if (of_first == nullptr) of_first = &roots;
            const graph_root& first = *std::find_if(of_first->begin(), of_first->end(), is_final);
            if (of_first != &roots)
                add(fmt::format("Result {}, {}, runs along other axes than result {}, {}: each has a kernel.",
                                r->result, described(r->node), first.result, described(first.node)));
        }
    }

    /// "sum axis=0 of (4, 5)"
    std::string described(int node) const {
        const graph_node& n = whole_.nodes[node];
        const graph_node& of = whole_.nodes[n.in[0] >= 0 ? n.in[0] : node];
        return fmt::format("{} of {}", label(n), shape_text(of.shape.data(), of.rank));
    }

    std::uint32_t folded_results_;
    const std::vector<call_site>& calls_;  ///< with element functions
    const graph& whole_;
    const std::vector<kernel_roots>& kernels_;
    std::vector<char> stored_;   ///< per node: whether a kernel stores it for others
    std::vector<char> reduces_;  ///< per node: whether it is or depends on a reduction or scan
    std::vector<char> met_, said_;
    std::vector<int> shared_;  ///< stored values that do not themselves prevent fusion
    const kernel_roots* roots_ = nullptr;
    int decisive_ = -1;
    std::vector<std::string> reasons_;
};

}  // namespace

std::vector<std::string> why_not_fused(const kernel_cut& cut, std::uint32_t folded_results,
                                       const std::vector<call_site>& calls) {
    return walk(cut, folded_results, calls).run();
}

}  // namespace sinter::codegen
