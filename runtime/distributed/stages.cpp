// Splits a program at reductions and scans over the split axis, and divides each stage into pieces.
#include <runtime/distributed/stages.hpp>

#include <codegen/autodiff/gradient.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/support/created_once.hpp>
#include <codegen/transforms/pass.hpp>
#include <runtime/distributed/divide.hpp>
#include <runtime/distributed/join.hpp>
#include <runtime/distributed/piece_graph.hpp>
#include <runtime/distributed/split_graph.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/system/fork.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace sinter::codegen {
namespace {

array_layout layout_of(const graph_node& n, int axis) { return {n.type, n.rank, n.shape, axis}; }

/// The program over whole arrays, with gradients expanded.
graph whole_graph(const ir::program& program, const detail::arguments_view& arguments) {
    graph g = bind(program, arguments);
    // A sharded array has no elements of its own: its first part identifies it.
    for (int i = 0; i < program.leaves; ++i)
        g.leaves[as_size(i)].data = sharding_of(*arguments.leaves[i].get()).parts.front()->data;
    if (program.gradients) expand_gradients(g);
    return g;
}

std::vector<int> axes_of_leaves(const ir::program& program, const detail::arguments_view& arguments) {
    std::vector<int> axes;
    for (int i = 0; i < program.leaves; ++i) axes.push_back(sharding_of(*arguments.leaves[i].get()).axis);
    return axes;
}

class stage_planner {
public:
    stage_planner(const mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments,
                  const evaluation_wish& wish)
        : mesh_(mesh),
          wish_(wish),
          scalars_(program.scalars),
          g_(whole_graph(program, arguments), axes_of_leaves(program, arguments), arguments.scalars, mesh.size()) {
        for (int i = 0; i < program.leaves; ++i) {
            const detail::storage& s = *arguments.leaves[i].get();
            array_layout leaf{s.type, s.rank, {}, sharding_of(s).axis};
            std::copy_n(s.extents, s.rank, leaf.shape.begin());
            made_.leaves.push_back(leaf);
        }
    }

    stages run() {
        std::vector<int> cuts = g_.place();
        if (!cuts.empty()) {
            g_.widen_halves();
            cuts = g_.place();
        }
        for (; !cuts.empty(); cuts = g_.place()) cut(std::move(cuts));
        std::vector<wanted_range> roots;
        for (const graph_root& r : g_.roots()) roots.push_back({r.node, {}});
        auto last = std::make_unique<stage>();
        for (const wanted_range& r : roots)
            last->results.push_back({layout_of(g_[r.node], result_axis(r.node)), nullptr, {}});
        divide(*last, roots);
        made_.all.push_back(std::move(last));
        return std::move(made_);
    }

private:
    /// An axis of extent 1 is not split: all members have it.
    int result_axis(int node) const { return g_.is_split(node) && g_.extent(node) > 1 ? g_.axis(node) : unsplit; }

    /// Cuts off a stage of ready reductions, or of one scan; they become leaves.
    void cut(std::vector<int> cuts) {
        const auto is_scan = [&](int node) { return g_[node].what == ir::kind::scan; };
        if (const auto reductions = std::partition(cuts.begin(), cuts.end(), std::not_fn(is_scan));
            reductions != cuts.begin())
            cuts.erase(reductions, cuts.end());
        else
            cuts.resize(1);
        if (is_scan(cuts.front())) return cut_scan(cuts.front());
        if (wish_.fixed_order) {
            const std::int64_t extent = g_.extent(g_[cuts.front()].in[0]);
            std::erase_if(cuts, [&](int node) { return g_.extent(g_[node].in[0]) != extent; });
        }
        cuts.resize(std::min<std::size_t>(cuts.size(), ir::max_roots));
        const std::vector<int> axes = axes_of_sums(cuts);
        auto s = std::make_unique<stage>();
        s->kind = stage_kind::reductions;
        std::vector<wanted_range> wanted;
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            const int node = cuts[c];
            stage_result result{layout_of(g_[node], axes[c]), g_[node].op, {}};
            for (int m = 0; m < mesh_.size(); ++m)
                if (!g_.natural_range(g_[node].in[0], m).empty()) result.holders.push_back(m);
            s->results.push_back(std::move(result));
            wanted.push_back({node, {}, true});
        }
        divide(*s, wanted);
        made_.all.push_back(std::move(s));
        for (std::size_t c = 0; c < cuts.size(); ++c) add_leaf(cuts[c], axes[c]);
    }

    /// The axes along which the last reductions before the result may be split so that the result is split as wished:
    /// then each member receives only its part.
    std::vector<int> axes_of_sums(const std::vector<int>& cuts) const {
        const std::vector<int> none(cuts.size(), unsplit);
        if (wish_.axis < 0 || wish_.fixed_order || g_.roots().size() != 1) return none;
        const graph_node& root = g_[g_.roots().front().node];
        split_graph rest = g_;
        std::vector<int> axes = none;
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            const graph_node& n = g_[cuts[c]];
            const int axis = wish_.axis - (root.rank - n.rank);
            if (axis >= 0 && n.shape[as_size(axis)] == root.shape[as_size(wish_.axis)] && n.shape[as_size(axis)] > 1)
                axes[c] = axis;
            rest.replace_by_leaf(cuts[c], axes[c]);
        }
        try {
            return rest.place().empty() && rest.axis(rest.roots().front().node) == wish_.axis ? axes : none;
        } catch (const error&) {  // later nodes need whole results
            return none;
        }
    }

    /// A scan has two results: the scan of each member's own part, and that part's total, a reduction.
    void cut_scan(int node) {
        const graph_node& n = g_[node];
        if (wish_.fixed_order)
            g_.refuse(node, "runs along the split axis, which a reproducible_scope does not support");
        if (combining_row(*n.op) == nullptr) g_.refuse(node, "runs along the split axis with a user-defined op");
        const int axis = g_.axis(n.in[0]);
        auto s = std::make_unique<stage>();
        s->kind = stage_kind::scan;
        s->results.push_back({layout_of(n, axis), n.op, {}, n.reverse});
        divide(*s, {{node, {}, true}});
        made_.all.push_back(std::move(s));
        add_leaf(node, axis);
    }

    void add_leaf(int node, int axis) {
        g_.replace_by_leaf(node, axis);
        made_.leaves.push_back(layout_of(g_[node], axis));
    }

    /// The ranges of the wanted nodes that a member computes.
    std::vector<wanted_range> ranges_of(const stage& s, std::vector<wanted_range> wanted, int member) const {
        for (wanted_range& w : wanted) {
            const int split = w.folds ? g_[w.node].in[0] : w.node;
            if (!g_.is_split(split)) continue;
            if (s.kind == stage_kind::reductions)
                w.range = g_.natural_range(split, member);
            else
                w.range = g_.extent(split) > 1 ? part_of(g_.extent(split), member, mesh_.size())
                                               : interval{0, g_.extent(split)};
        }
        return wanted;
    }

    /// Whether the reduction order of the stage's kernels depends on their number of rows.
    bool folds(const stage& s) const {
        if (s.kind == stage_kind::reductions) return true;
        for (int i = 0; i < g_.size(); ++i)
            if (g_[i].what == ir::kind::reduction || g_[i].what == ir::kind::scan) return true;
        return false;
    }

    /// For a fixed order: the blocks that a member computes. Only the axis's extent determines the blocks.
    std::vector<piece_range> blocks_of(stage& s, const std::vector<wanted_range>& wanted, int member) const {
        constexpr std::int64_t max_blocks = 64;
        const int split = wanted.front().folds ? g_[wanted.front().node].in[0] : wanted.front().node;
        const std::int64_t extent = g_.extent(split);
        const int blocks = static_cast<int>(std::min(max_blocks, extent));
        const bool reduces = s.kind == stage_kind::reductions;
        const interval rows = part_of(extent, member, mesh_.size()), own = part_of(blocks, member, mesh_.size());
        if (reduces) s.blocks.push_back(static_cast<int>(own.size()));
        std::vector<piece_range> all;
        for (int b = 0; b < blocks; ++b) {
            const interval block = part_of(extent, b, blocks);
            if (reduces ? b < own.begin || b >= own.end : intersection(block, rows).empty()) continue;
            std::vector<wanted_range> part = wanted;
            for (wanted_range& w : part) w.range = block;
            auto copied = missing_ranges(g_, member, part, true);
            all.push_back({std::move(part), std::move(copied), 0, 0});
        }
        return all;
    }

    /// Whether a stage is computed in such blocks. Replicated work is the same for any number of members.
    bool in_blocks(const stage& s, const std::vector<wanted_range>& wanted) const {
        if (!wish_.fixed_order || !folds(s)) return false;
        if (s.kind == stage_kind::reductions) return true;
        const auto split = std::find_if(wanted.begin(), wanted.end(), [&](const wanted_range& w) {
            return g_.is_split(w.node) && g_.extent(w.node) > 1;
        });
        if (split == wanted.end()) return false;
        if (!same_extents(g_, wanted))
            g_.refuse(
                split->node,
                "is split along another axis than the other results, which a reproducible_scope does not support");
        return true;
    }

    /// Divides a stage into pieces for every member, and builds those of the local ones.
    void divide(stage& s, const std::vector<wanted_range>& wanted) {
        s.pieces.resize(mesh_.local().size());
        const bool blocks = in_blocks(s, wanted);
        std::vector<std::vector<piece_range>> divided;
        for (int m = 0; m < mesh_.size(); ++m) {
            divided.push_back(blocks ? blocks_of(s, wanted, m)
                                     : divided_ranges(g_, m, ranges_of(s, wanted, m), s.kind != stage_kind::scan));
            for (piece_range& p : divided.back()) {
                p.first_window = s.windows.size();
                for (const auto& [leaf, ranges] : p.missing)
                    for (const interval& r : ranges) s.windows.push_back({leaf, m, r});
                p.end_window = s.windows.size();
            }
        }
        for (std::size_t i = 0; i < s.pieces.size(); ++i)
            for (const piece_range& p : divided[as_size(mesh_.first()) + i])
                s.pieces[i].push_back(make_piece(s, p, mesh_.first() + static_cast<int>(i), blocks));
        made_.communicates = made_.communicates || s.kind != stage_kind::results || !s.windows.empty();
    }

    std::unique_ptr<piece> make_piece(const stage& s, const piece_range& p, int member, bool whole) {
        piece_graph writer(g_, member, s.windows, p.first_window, p.end_window, whole);
        auto made = std::make_unique<piece>(writer.write(p.wanted));
        made->inputs = writer.inputs();
        made->program.leaves = static_cast<int>(made->inputs.size());
        made->program.scalars = scalars_;
        made->rows = p.wanted.front().range;
        made->waits = !p.missing.empty();
        made->whole = whole;
        return made;
    }

    const mesh_device& mesh_;
    const evaluation_wish wish_;
    const int scalars_;
    split_graph g_;
    stages made_;
};

/// Adds the scalars that determine which elements are read, or by which row.
void sign_scalars(const ir::program& program, const detail::arguments_view& arguments, signature& key) {
    std::vector<char> decides(static_cast<std::size_t>(program.node_count), 0);
    for (int i = program.node_count; i-- > 0;) {
        const ir::node& n = program.nodes[i];
        if (n.what == ir::kind::index_map && n.in[1] >= 0) decides[as_size(n.in[1])] = 1;
        if (decides[as_size(i)] == 0) continue;
        for (const int in : n.in)
            if (in >= 0 && n.what != ir::kind::leaf) decides[as_size(in)] = 1;
        if (n.what == ir::kind::scalar)
            key.insert(key.end(), {n.argument, static_cast<std::int64_t>(arguments.scalars[n.argument].bits)});
    }
    for (int i = 0; i < program.scalars; ++i)
        if (arguments.scalars[i].reader != nullptr)
            key.insert(key.end(), {i, reinterpret_cast<std::int64_t>(arguments.scalars[i].reader)});
}

/// Adds which leaves are the same array, because gradients are taken with respect to all of them.
void sign_equal_leaves(const ir::program& program, const detail::arguments_view& arguments, signature& key) {
    const auto data = [&](int i) { return sharding_of(*arguments.leaves[i].get()).parts.front()->data; };
    for (int i = 0; i < program.leaves; ++i) {
        int first = 0;
        while (data(first) != data(i)) ++first;
        key.push_back(first);
    }
}

}  // namespace

extents local_shape(const array_layout& array, int member, int members) {
    extents own = array.shape;
    if (array.axis >= 0) own[as_size(array.axis)] = part_of(array.shape[as_size(array.axis)], member, members).size();
    return own;
}

const stages& stages_of(const mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments,
                        const evaluation_wish& wish) {
    struct table {
        fork_safe<std::mutex> guard;
        std::unordered_map<signature, stages, signature_hash> known;
    };
    static constinit std::atomic<table*> place{nullptr};
    table& all = created_once(place, [] { return new table; });
    // Programs have static storage, so addresses identify them.
    signature key{reinterpret_cast<std::int64_t>(&program),
                  static_cast<std::int64_t>(program.hash),
                  mesh.size(),
                  mesh.first(),
                  static_cast<std::int64_t>(mesh.local().size()),
                  wish.axis,
                  wish.fixed_order};
    for (int i = 0; i < program.leaves; ++i) {
        const detail::storage& s = *arguments.leaves[i].get();
        key.push_back(sharding_of(s).axis);
        key.insert(key.end(), s.extents, s.extents + s.rank);
    }
    key.insert(key.end(), arguments.integers, arguments.integers + program.integers);
    sign_scalars(program, arguments, key);
    if (program.gradients) sign_equal_leaves(program, arguments, key);
    const std::lock_guard lock(all.guard);
    const auto found = all.known.find(key);
    if (found != all.known.end()) return found->second;
    return all.known.emplace(key, stage_planner(mesh, program, arguments, wish).run()).first->second;
}

}  // namespace sinter::codegen
