// Follows the split axis through a program, and cuts it at the reductions over that axis.
#include <runtime/distributed/stages.hpp>

#include <codegen/ir/print.hpp>
#include <codegen/support/kept.hpp>
#include <codegen/transforms/pass.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/system/fork.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>

namespace sinter::codegen {
namespace {

constexpr int whole = -1;

/// An integer of a program that hangs on the member: it grows by `step` times the first element of the member's part of
/// `extent`; with a step of 0 it is the number of elements there.
struct patch {
    std::size_t at;
    std::int64_t extent;
    std::int64_t step;
};

class planner {
public:
    planner(const mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments)
        : mesh_(mesh),
          program_(program),
          global_(arguments.integers, arguments.integers + program.integers),
          g_(bind(program, arguments)),
          nodes_(program.nodes, program.nodes + program.node_count),
          axis_(nodes_.size(), whole),
          state_(nodes_.size(), state::ready),
          leaves_(program.leaves) {
        for (int i = 0; i < program.leaves; ++i) leaf_axis_.push_back(sharding_of(*arguments.leaves[i].get()).axis);
    }

    stages run() {
        stages all;
        for (;;) {
            std::vector<int> cuts = place();
            if (cuts.empty()) break;
            if (cuts.size() > ir::max_roots) cuts.resize(ir::max_roots);
            widens_ = has_halves();
            all.push_back(emit(cuts, true));
            for (const int cut : cuts) {
                ir::node leaf;
                leaf.what = ir::kind::leaf;
                leaf.type = computed(nodes_[at(cut)].type);
                leaf.rank = nodes_[at(cut)].rank;
                leaf.argument = static_cast<std::int16_t>(leaves_++);
                if (const int stored = store_of(cut); stored >= 0) nodes_[at(stored)] = leaf;
                nodes_[at(cut)] = leaf;
            }
        }
        all.push_back(emit({program_.roots, program_.roots + program_.root_count}, false));
        return all;
    }

private:
    enum class state { ready, cut, later };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const graph_node& shaped(int i) const { return g_.nodes[at(i)]; }

    // --- where the split axis goes ---

    /// The axis of each node that can be computed now. Returns the reductions over it.
    std::vector<int> place() {
        std::vector<int> cuts;
        for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
            const ir::node& n = nodes_[at(i)];
            state_[at(i)] = state::ready;
            for (int in : n.in)
                if (n.what != ir::kind::leaf && in >= 0 && state_[at(in)] != state::ready) state_[at(i)] = state::later;
            if (state_[at(i)] == state::later) continue;
            axis_[at(i)] = axis_of(i);
            if (state_[at(i)] == state::cut) cuts.push_back(i);
        }
        return cuts;
    }

    int axis_of(int i) {
        const ir::node& n = nodes_[at(i)];
        const int source = n.in[0] < 0 ? whole : axis_[at(n.in[0])];
        switch (n.what) {
            case ir::kind::leaf: return n.argument < program_.leaves ? leaf_axis_[at(n.argument)] : whole;
            case ir::kind::scalar:
            case ir::kind::constant:
            case ir::kind::iota: return whole;
            case ir::kind::elementwise:
            case ir::kind::cast:
            case ir::kind::store:
            case ir::kind::held: return common_axis(i);
            case ir::kind::reduction: return reduced_axis(i, source);
            case ir::kind::scan:
                if (source >= 0 && (shaped(i).axes >> source & 1)) refuse(i, "goes along the split axis");
                return source;
            case ir::kind::reshape: return reshaped_axis(i, source);
            case ir::kind::index_map: return mapped_axis_of(i, source);
            case ir::kind::call: refuse(i, "is a function of whole arrays, of which no member has one");
            case ir::kind::gradient: break;
        }
        refuse(i, "is not taken of sharded arrays");
    }

    int common_axis(int i) const {
        int axis = whole;
        for (int in : nodes_[at(i)].in) {
            if (in < 0 || axis_[at(in)] < 0) continue;
            const int aligned = aligned_axis(axis_[at(in)], shaped(i).rank, shaped(in).rank);
            if (axis >= 0 && axis != aligned) refuse(i, "has operands that are split along different axes");
            axis = aligned;
        }
        return axis;
    }

    int reduced_axis(int i, int source) {
        const graph_node& n = shaped(i);
        if (source < 0) return whole;
        if (n.axes >> source & 1) {
            state_[at(i)] = state::cut;
            return whole;
        }
        return n.keepdims ? source : source - std::popcount(n.axes & ((1u << source) - 1));
    }

    int reshaped_axis(int i, int source) const {
        if (source < 0) return whole;
        const graph_node &to = shaped(i), &from = shaped(nodes_[at(i)].in[0]);
        std::int64_t before = 1, now = 1;
        for (int a = 0; a < source; ++a) before *= from.shape[at(a)];
        for (int a = 0; a < to.rank && now <= before; now *= to.shape[at(a++)])
            if (now == before && to.shape[at(a)] == from.shape[at(source)]) return a;
        refuse(i, "joins or parts the split axis");
    }

    int mapped_axis_of(int i, int source) const {
        const graph_node& n = shaped(i);
        int axis = whole;
        if (source >= 0) {
            const mapped_axis& m = n.map[at(source)];
            const bool all =
                m.from >= 0 && m.start == 0 && m.step == 1 && n.shape[at(m.from)] == shaped(n.in[0]).shape[at(source)];
            if (!all) refuse(i, "takes elements out of the split axis");
            axis = m.from;
        }
        if (n.in[1] >= 0 && axis_[at(n.in[1])] >= 0) {
            const int aligned = aligned_axis(axis_[at(n.in[1])], n.rank, shaped(n.in[1]).rank);
            if (axis >= 0 && axis != aligned) refuse(i, "has operands that are split along different axes");
            axis = aligned;
        }
        return axis;
    }

    [[noreturn]] void refuse(int i, const char* why) const {
        throw error(
            fmt::format("sharded: {} {}; reshard(x, axis=...) splits an array along another axis, replicate(x) "
                        "and gather(x) not at all",
                        label(shaped(i)), why));
    }

    // --- programs of what is ready ---

    bool has_halves() const {
        return std::any_of(nodes_.begin(), nodes_.end(), [](const ir::node& n) { return is_half(n.type); });
    }
    /// The dtype that a node is computed in. What members have of a sum of halves is float32, as what one kernel leaves
    /// to the next is; so is all else then, and halves are where they are loaded, stored or asked for.
    dtype computed(dtype t) const { return widens_ ? computed_in(t) : t; }

    std::unique_ptr<stage> emit(const std::vector<int>& roots, bool partial) {
        auto s = std::make_unique<stage>();
        new_ = s.get();
        patches_.clear();
        integers_ = global_;
        std::vector<bool> wanted(nodes_.size(), false);
        for (int r : roots) wanted[at(r)] = true;
        for (std::size_t i = nodes_.size(); i-- > 0;)
            for (int in : nodes_[i].in)
                if (wanted[i] && in >= 0) wanted[at(in)] = true;
        emitted_.assign(nodes_.size(), -1);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (wanted[i]) emitted_[i] = emit_node(static_cast<int>(i));
        for (int r : roots) {
            const graph_node& n = shaped(r);
            const dtype type = partial ? computed(n.type) : n.type;
            int node = emitted_[at(r)];
            if (const int stored = store_of(r); partial && stored >= 0) {
                ir::node mark = nodes_[at(stored)];
                mark.type = s->nodes[at(node)].type;
                mark.in[0] = static_cast<std::int16_t>(node);
                node = push(mark);
            }
            s->roots.push_back(s->nodes[at(node)].type == type ? node : cast(node, type));
            stage_result result{type, n.rank, n.shape, axis_[at(r)]};
            if (partial) {
                const int in = n.in[0];
                result.joined = n.op;
                result.holders =
                    static_cast<int>(std::min<std::int64_t>(mesh_.size(), shaped(in).shape[at(axis_[at(in)])]));
            }
            s->results.push_back(result);
        }
        s->program = {s->nodes.data(),
                      static_cast<int>(s->nodes.size()),
                      s->roots.data(),
                      static_cast<int>(s->roots.size()),
                      leaves_,
                      program_.scalars,
                      static_cast<int>(integers_.size())};
        for (std::size_t m = 0; m < mesh_.local().size(); ++m) s->integers.push_back(patched(static_cast<int>(m)));
        return s;
    }

    /// The store node that marks a reduction as a product, for a library to see; -1 for none.
    int store_of(int reduction) const {
        for (int i = reduction + 1; i < static_cast<int>(nodes_.size()); ++i)
            if (nodes_[at(i)].what == ir::kind::store && nodes_[at(i)].in[0] == reduction) return i;
        return -1;
    }

    std::vector<std::int64_t> patched(int local) const {
        std::vector<std::int64_t> own = integers_;
        for (const patch& p : patches_) {
            const part mine = part_of(p.extent, mesh_.first() + local, mesh_.size());
            own[p.at] = p.step == 0 ? mine.count : own[p.at] + p.step * mine.first;
        }
        return own;
    }

    int push(const ir::node& n) {
        new_->nodes.push_back(n);
        return static_cast<int>(new_->nodes.size()) - 1;
    }
    int cast(int in, dtype type) {
        ir::node n;
        n.what = ir::kind::cast;
        n.type = type;
        n.rank = new_->nodes[at(in)].rank;
        n.in[0] = static_cast<std::int16_t>(in);
        return push(n);
    }

    int emit_node(int i) {
        ir::node n = nodes_[at(i)];
        const bool holds_half = n.what == ir::kind::leaf || n.what == ir::kind::constant || n.what == ir::kind::cast;
        const dtype type = computed(n.type);
        if (!holds_half) n.type = type;
        for (int k = 0; k < ir::max_operands; ++k)
            if (n.in[k] >= 0) n.in[k] = static_cast<std::int16_t>(operand(i, k));
        const int axis = axis_[at(i)];
        if (axis >= 0 && n.what == ir::kind::reshape)
            patches_.push_back({at(n.argument + axis), shaped(i).shape[at(axis)], 0});
        if (axis >= 0 && n.what == ir::kind::index_map) patch_map(i, axis);
        const int node = push(n);
        return n.type == type ? node : cast(node, type);
    }

    /// A view's extent along the split axis is the member's; of an operand that every member has whole it begins where
    /// the member's part does.
    void patch_map(int i, int axis) {
        const graph_node& n = shaped(i);
        const int first = nodes_[at(i)].argument, sources = shaped(n.in[0]).rank;
        const std::int64_t extent = n.shape[at(axis)];
        for (int a = 0; a < sources; ++a)
            if (n.map[at(a)].from == axis && axis_[at(n.in[0])] != a && n.map[at(a)].step != 0)
                patches_.push_back({at(first + 3 * a + 1), extent, n.map[at(a)].step});
        patches_.push_back({at(first + 3 * sources + axis), extent, 0});
    }

    /// Operand k of node i: where the node is split and the operand is whole, the member's part of it.
    int operand(int i, int k) {
        const graph_node& n = shaped(i);
        const int in = nodes_[at(i)].in[k], node = emitted_[at(in)];
        const bool broadcasts = n.what == ir::kind::elementwise || (n.what == ir::kind::index_map && k == 1);
        if (!broadcasts || axis_[at(i)] < 0 || axis_[at(in)] >= 0) return node;
        const graph_node& o = shaped(in);
        const int axis = axis_[at(i)] - (n.rank - o.rank);
        if (axis < 0 || o.shape[at(axis)] == 1) return node;
        ir::node view;
        view.what = ir::kind::index_map;
        view.type = new_->nodes[at(node)].type;
        view.rank = static_cast<std::int8_t>(o.rank);
        view.in[0] = static_cast<std::int16_t>(node);
        view.argument = static_cast<std::int16_t>(integers_.size());
        for (int a = 0; a < o.rank; ++a) integers_.insert(integers_.end(), {a, 0, 1});
        integers_.insert(integers_.end(), o.shape.begin(), o.shape.begin() + o.rank);
        patches_.push_back({at(view.argument + 3 * axis + 1), o.shape[at(axis)], 1});
        patches_.push_back({at(view.argument + 3 * o.rank + axis), o.shape[at(axis)], 0});
        return push(view);
    }

    const mesh_device& mesh_;
    const ir::program& program_;
    const std::vector<std::int64_t> global_;
    const graph g_;  ///< the program with the whole arrays' extents, node for node
    std::vector<ir::node> nodes_;
    std::vector<int> axis_;
    std::vector<state> state_;
    std::vector<int> leaf_axis_;
    int leaves_;
    bool widens_ = false;

    stage* new_ = nullptr;
    std::vector<int> emitted_;  ///< of each node: its number in the new program
    std::vector<std::int64_t> integers_;
    std::vector<patch> patches_;
};

}  // namespace

extents local_shape(const extents& all, int axis, int member, int members) {
    extents own = all;
    if (axis >= 0)
        own[static_cast<std::size_t>(axis)] = part_of(all[static_cast<std::size_t>(axis)], member, members).count;
    return own;
}

const stages& stages_of(const mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments) {
    struct table {
        fork_safe<std::mutex> guard;
        std::unordered_map<signature, stages, signature_hash> known;
    };
    static constinit std::atomic<table*> place{nullptr};
    table& all = kept(place, [] { return new table; });
    // Programs have static storage: their addresses tell them apart.
    signature key{reinterpret_cast<std::int64_t>(&program), static_cast<std::int64_t>(program.hash), mesh.size(),
                  mesh.first(), static_cast<std::int64_t>(mesh.local().size())};
    for (int i = 0; i < program.leaves; ++i) {
        const detail::storage& s = *arguments.leaves[i].get();
        key.push_back(sharding_of(s).axis);
        key.insert(key.end(), s.extents, s.extents + s.rank);
    }
    key.insert(key.end(), arguments.integers, arguments.integers + program.integers);
    const std::lock_guard lock(all.guard);
    const auto found = all.known.find(key);
    if (found != all.known.end()) return found->second;
    return all.known.emplace(key, planner(mesh, program, arguments).run()).first->second;
}

}  // namespace sinter::codegen
