// Asks the partition what it cut, and walks to each cut as the partition did, to say what its rule found there.
#include <codegen/explain/reasons.hpp>
#include <codegen/ir/print.hpp>
#include <sinter/ir/partition.hpp>

#include <fmt/format.h>

#include <memory>

namespace sinter::codegen {
namespace {

class walk {
public:
    walk(const ir::program& program, const graph& whole, const ir::partition_result& cut)
        : program_(program), whole_(whole), cut_(cut), said_(static_cast<std::size_t>(program.node_count), false) {}

    std::vector<std::string> run() {
        for (int r = 0; r < program_.root_count; ++r) from(program_.roots[r]);
        for (int k = 1; k < cut_.launches; ++k) from(cut_.stored[k]);
        return std::move(reasons_);
    }

private:
    void from(int root) {
        decisive_ = -1;
        root_ = root;
        visit(root, false);
    }

    void visit(int i, bool at_computed_places) {
        const ir::node& n = program_.nodes[i];
        if (i != root_ && cut_.materialised[i]) return say(i, at_computed_places);
        if ((n.what == ir::kind::reduction || n.what == ir::kind::scan) && decisive_ < 0) decisive_ = i;
        const bool behind =
            at_computed_places || n.what == ir::kind::reshape || (n.what == ir::kind::index_map && n.in[1] >= 0);
        for (const int in : n.in)
            if (in >= 0) visit(in, behind && n.what != ir::kind::reduction);
    }

    void say(int i, bool at_computed_places) {
        const auto at = static_cast<std::size_t>(i);
        if (said_[at]) return;
        said_[at] = true;
        const ir::node& n = program_.nodes[i];
        if (n.what == ir::kind::store && n.bits == 0)
            reasons_.push_back(
                described(n.in[0]) +
                " is an operand of a matrix product, which reads operands from memory: an earlier kernel "
                "stores it.");
        else if (n.what == ir::kind::store)
            reasons_.push_back(
                described(i) +
                " is a matrix product, which a launch of its own computes, by a library where one fits.");
        else if (n.what == ir::kind::scan)
            reasons_.push_back(
                fmt::format("{} does not go along the axes of the kernel that reads it, in that kernel's direction, "
                            "from end to end: "
                            "an earlier kernel stores it.",
                            described(i)));
        else if (at_computed_places || decisive_ < 0)
            reasons_.push_back(
                fmt::format("{} is read at computed places, behind a reshape or a take: a group of threads cannot tell "
                            "which of its "
                            "results it will need, so an earlier kernel stores them all.",
                            described(i)));
        else
            reasons_.push_back(fmt::format(
                "{} keeps other axes than {}, which decides what a group of threads computes: each group would need "
                "results of the others, so an earlier kernel stores them.",
                described(i), described(decisive_)));
    }

    /// "sum axis=0 of (4, 5)"
    std::string described(int node) const {
        const graph_node& n = whole_.nodes[static_cast<std::size_t>(node)];
        const graph_node& of = whole_.nodes[static_cast<std::size_t>(n.in[0] >= 0 ? n.in[0] : node)];
        return fmt::format("{} of {}", label(n), shape_text(of.shape.data(), of.rank));
    }

    const ir::program& program_;
    const graph& whole_;
    const ir::partition_result& cut_;
    std::vector<bool> said_;
    std::vector<std::string> reasons_;
    int root_ = -1, decisive_ = -1;
};

}  // namespace

std::vector<std::string> why_not_fused(const ir::program& program, const std::int64_t* integers, const graph& whole) {
    const auto cut = std::make_unique<ir::partition_result>(
        ir::partitioner(program.nodes, program.node_count, integers, true).run(program.roots, program.root_count));
    return walk(program, whole, *cut).run();
}

}  // namespace sinter::codegen
