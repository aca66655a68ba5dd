// Runs the stages on every member.
#include <runtime/distributed/evaluate.hpp>

#include <codegen/ir/print.hpp>
#include <runtime/distributed/join.hpp>
#include <runtime/distributed/relocation.hpp>
#include <runtime/distributed/stages.hpp>
#include <runtime/launch/checks.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <runtime/system/cancellation.hpp>
#include <sinter/device.hpp>
#include <sinter/scoped.hpp>
#include <sinter/sharded.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

namespace sinter::codegen {
namespace {

/// For each leaf of a stage's programs, the local members' arrays.
using leaf_arrays = std::vector<local_arrays>;

/// The two kinds of a stage's pieces.
enum class readiness : bool { has_all, waits };

/// Runs a stage: starts transfers between members, computes what does not need them, then the rest. Where transfers are
/// work of the device, pieces that wait for them are submitted first, to the urgent stream: they run as soon as the
/// transfers are done, beside the pieces that need none.
class stage_run {
public:
    stage_run(mesh_device& mesh, stage& s, const stages& all, const leaf_arrays& leaves, const ir::scalar_bits* scalars)
        : mesh_(mesh), stage_(s), leaves_(leaves), scalars_(scalars), windows_(s.windows.size()), moves_(mesh) {
        for (const window& w : s.windows) {
            const array_layout& leaf = all.leaves[as_size(w.leaf)];
            moves_.add(leaf, leaves[as_size(w.leaf)], w.member, box_of(leaf, leaf.axis, w.range));
        }
        if (!s.windows.empty()) moves_.start();
    }

    /// For each root of the stage's programs, one array per local member.
    std::vector<local_arrays> run() {
        const std::size_t members = mesh_.local().size();
        made_.resize(members);
        partials_.resize(members);
        try {
            for (std::size_t m = 0; m < members; ++m) on_member(m, [&] { begin(m); });
            for (std::size_t m = 0; m < members; ++m) on_member(m, [&] { end(m); });
        } catch (...) {  // no memory is freed before the urgent streams are done with it
            for (std::size_t m = 0; m < members; ++m) wait_for_urgent(m);
            throw;
        }
        std::vector<local_arrays> by_root(made_.front().size());
        for (std::vector<storage_ref>& of_member : made_)
            for (std::size_t r = 0; r < of_member.size(); ++r) by_root[r].push_back(std::move(of_member[r]));
        return by_root;
    }

private:
    using storage_ref = detail::storage_ref;

    template <class Work>
    void on_member(std::size_t m, const Work& work) {
        const device_scope scope(sinter::device(*mesh_.local()[m]));
        work();
    }

    void begin(std::size_t m) {
        if (stage_.kind == stage_kind::reductions)
            partials_[m].resize(stage_.results.size(), std::vector<storage_ref>(stage_.pieces[m].size()));
        else if (!is_one_piece(m))
            make_results(m);
        if (!runs_beside(m)) return run_pieces(m, readiness::has_all);
        device& d = *mesh_.local()[m];
        const int own = d.stream_now();
        {
            const detail::scoped<stream_choice> on(chosen_stream, {&d, urgent_stream});
            receive(m);
            run_pieces(m, readiness::waits);
        }
        each_storage(m, [&](detail::storage& s) { pass_uses(s, urgent_stream, own); });
        run_pieces(m, readiness::has_all);
        d.wait_for_stream(urgent_stream);
    }
    void end(std::size_t m) {
        if (!runs_beside(m)) {
            if (!stage_.windows.empty()) receive(m);
            run_pieces(m, readiness::waits);
        }
        if (stage_.kind == stage_kind::reductions) fold(m);
    }

    bool is_one_piece(std::size_t m) const { return stage_.pieces[m].size() == 1 && !stage_.pieces[m].front()->whole; }

    /// Whether a member has pieces of both kinds, and a stream on which one of them can wait.
    bool runs_beside(std::size_t m) const {
        const auto waits = [](const std::unique_ptr<piece>& p) { return p->waits; };
        const auto& pieces = stage_.pieces[m];
        return std::any_of(pieces.begin(), pieces.end(), waits) && !std::all_of(pieces.begin(), pieces.end(), waits) &&
               !moves_.waits_on_host() && mesh_.local()[m]->make_urgent_stream();
    }
    void wait_for_urgent(std::size_t m) noexcept {
        try {
            if (mesh_.local()[m]->make_urgent_stream()) mesh_.local()[m]->wait_for_stream(urgent_stream);
        } catch (const std::exception&) {  // the device has failed, which the first error says
        }
    }

    /// All storage of a member that its pieces use.
    template <class Visit>
    void each_storage(std::size_t m, const Visit& visit) {
        for (const local_arrays& leaf : leaves_) visit(*leaf[m].get());
        for (std::size_t w = 0; w < windows_.size(); ++w)
            if (is_window_of(w, m)) visit(*windows_[w].get());
        for (const storage_ref& s : made_[m]) visit(*s.get());
        for (const std::vector<storage_ref>& of_root : partials_[m])
            for (const storage_ref& s : of_root)
                if (s) visit(*s.get());
    }
    bool is_window_of(std::size_t w, std::size_t m) const {
        return mesh_.local_index(stage_.windows[w].member) == static_cast<int>(m);
    }

    void receive(std::size_t m) {
        std::vector<storage_ref> got = moves_.finish(m);
        std::size_t next = 0;
        for (std::size_t w = 0; w < stage_.windows.size(); ++w)
            if (is_window_of(w, m)) windows_[w] = std::move(got[next++]);
    }

    void run_pieces(std::size_t m, readiness now) {
        const std::vector<std::unique_ptr<piece>>& pieces = stage_.pieces[m];
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            piece& p = *pieces[i];
            if (p.waits != (now == readiness::waits)) continue;
            if (stage_.kind == stage_kind::reductions)
                keep_partials(m, i, evaluate(p, m, {}));
            else if (is_one_piece(m))
                made_[m] = evaluate(p, m, {});
            else
                write_rows(p, m);
        }
    }

    /// A piece's results: fresh arrays, or written to the regions `into`.
    std::vector<storage_ref> evaluate(piece& p, std::size_t m, std::span<const detail::region> into) {
        std::vector<storage_ref> inputs;
        for (const piece_input& in : p.inputs)
            inputs.push_back(in.window < 0 ? leaves_[as_size(in.leaf)][m] : windows_[as_size(in.window)]);
        const auto roots = static_cast<std::size_t>(p.program.root_count);
        std::vector<detail::evaluation_result> results(roots);
        for (std::size_t r = 0; r < roots; ++r) {
            results[r].rank = p.results[r].rank;
            results[r].extents = p.results[r].shape.data();
            if (!into.empty()) results[r].into = &into[r];
        }
        detail::evaluate(p.program, p.slot, {inputs.data(), scalars_, p.flat.integers.data()}, results.data());
        std::vector<storage_ref> made;
        for (detail::evaluation_result& r : results) made.push_back(std::move(r.made));
        return made;
    }

    void make_results(std::size_t m) {
        const int member = mesh_.first() + static_cast<int>(m);
        for (const stage_result& r : stage_.results)
            made_[m].push_back(make_storage_on(*mesh_.local()[m], r.array.type, r.array.rank,
                                               local_shape(r.array, member, mesh_.size()).data()));
    }

    /// Writes a piece's rows to their position in the member's part of the results.
    void write_rows(piece& p, std::size_t m) {
        const int member = mesh_.first() + static_cast<int>(m);
        if (p.whole) return copy_rows(evaluate(p, m, {}), p.rows, m);
        std::vector<detail::region> into;
        for (std::size_t r = 0; r < stage_.results.size(); ++r) {
            const array_layout& a = stage_.results[r].array;
            detail::storage& s = *made_[m][r].get();
            const interval mine = part_of(a.shape[as_size(a.axis)], member, mesh_.size());
            into.push_back({&s, (p.rows.begin - mine.begin) * s.strides[a.axis]});
            std::copy_n(s.strides, s.rank, into.back().strides);
        }
        evaluate(p, m, into);
    }
    /// Copies those rows of a block that belong to the member.
    void copy_rows(const std::vector<storage_ref>& block, const interval& rows, std::size_t m) {
        for (std::size_t r = 0; r < block.size(); ++r) {
            const array_layout& a = stage_.results[r].array;
            const box mine = box_of(a, mesh_.first() + static_cast<int>(m), mesh_.size());
            const box has = box_of(a, a.axis, rows);
            box both = has;
            both[as_size(a.axis)] = intersection(rows, mine[as_size(a.axis)]);
            copy_block(block[r], has, made_[m][r], mine, both);
        }
    }

    void keep_partials(std::size_t m, std::size_t piece, std::vector<storage_ref> partial) {
        for (std::size_t r = 0; r < partial.size(); ++r) partials_[m][r][piece] = std::move(partial[r]);
    }
    /// Reduces a member's partial results: to one array, or, in fixed order, to one row per block.
    void fold(std::size_t m) {
        for (std::size_t r = 0; r < stage_.results.size(); ++r)
            made_[m].push_back(stage_.blocks.empty()
                                   ? fold_pieces(stage_.results[r], partials_[m][r])
                                   : stack_pieces(*mesh_.local()[m], stage_.results[r], partials_[m][r]));
    }

    mesh_device& mesh_;
    stage& stage_;
    const leaf_arrays& leaves_;
    const ir::scalar_bits* scalars_;
    std::vector<storage_ref> windows_;
    relocation moves_;
    std::vector<std::vector<storage_ref>> made_;                   ///< per local member and root
    std::vector<std::vector<std::vector<storage_ref>>> partials_;  ///< per local member, root and piece
};

/// Checks that all processes evaluate this program with the same split of its arrays.
void agree(mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments,
           const evaluation_wish& wish) {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(program.hash), wish.axis, wish.fixed_order};
    for (int i = 0; i < program.leaves; ++i) {
        const detail::storage& s = *arguments.leaves[i].get();
        numbers.push_back(sharding_of(s).axis);
        numbers.insert(numbers.end(), s.extents, s.extents + s.rank);
    }
    numbers.insert(numbers.end(), arguments.integers, arguments.integers + program.integers);
    mesh.agree(numbers, [&] {
        std::string shapes;
        for (int i = 0; i < program.leaves; ++i) {
            const detail::storage& s = *arguments.leaves[i].get();
            const int axis = sharding_of(s).axis;
            shapes += fmt::format("{}{} {}", i > 0 ? ", " : "", name(s.type), shape_text(s.extents, s.rank));
            if (axis >= 0) shapes += fmt::format(" split along axis {}", axis);
        }
        return fmt::format("an expression of {}", shapes);
    });
}

std::vector<sharded_result> run_stages(mesh_device& mesh, const stages& all, leaf_arrays leaves,
                                       const ir::scalar_bits* scalars) {
    std::vector<sharded_result> results;
    for (const std::unique_ptr<stage>& s : all.all) {
        std::vector<local_arrays> made = stage_run(mesh, *s, all, leaves, scalars).run();
        switch (s->kind) {
            case stage_kind::reductions:
                join_reductions(mesh, *s, made);
                for (local_arrays& whole : made) leaves.push_back(std::move(whole));
                break;
            case stage_kind::scan: leaves.push_back(join_scan(mesh, s->results.front(), made[0], made[1])); break;
            case stage_kind::results:
                for (std::size_t r = 0; r < made.size(); ++r)
                    results.push_back({s->results[r].array.axis, std::move(made[r])});
        }
    }
    return results;
}

}  // namespace

std::vector<sharded_result> evaluate_parts(mesh_device& mesh, const ir::program& program,
                                           const detail::arguments_view& arguments, int axis) {
    refuse_in_capture("evaluations of sharded arrays");
    leaf_arrays leaves;
    for (int i = 0; i < program.leaves; ++i) leaves.push_back(sharding_of(*arguments.leaves[i].get()).parts);
    // Members in other processes would wait for a cancelled one.
    cancellation_point().check();
    const detail::scoped<const detail::cancellation*> never(chosen_cancellation, nullptr);
    const evaluation_wish wish{axis, current_reproducible()};
    const stages& all = stages_of(mesh, program, arguments, wish);
    if (!all.communicates) return run_stages(mesh, all, std::move(leaves), arguments.scalars);
    agree(mesh, program, arguments, wish);
    try {
        return run_stages(mesh, all, std::move(leaves), arguments.scalars);
    } catch (const std::exception& e) {  // the others wait for data of this process
        mesh.tell_failure(e.what());
        throw;
    }
}

std::vector<sharded_result> evaluate_checked(mesh_device& mesh, const ir::program& program,
                                             const detail::arguments_view& arguments,
                                             const detail::evaluation_result* shapes, int axis) {
    const int checks = current_checks();
    const unchecked_scope own;
    if (checks & check_bounds) check_indices(program, arguments);
    std::vector<sharded_result> results = evaluate_parts(mesh, program, arguments, axis);
    if (checks & check_nan) {
        // Every process has the whole results, so all throw alike and none is left waiting.
        std::vector<detail::evaluation_result> whole;
        for (std::size_t r = 0; r < results.size(); ++r) {
            whole.push_back({shapes[r].rank, shapes[r].extents});
            whole.back().made =
                redistribute(mesh, results[r].parts, shapes[r].extents, results[r].axis, -1, true).front();
        }
        check_results(program, arguments, whole.data());
    }
    return results;
}

void mesh_device::evaluate_over_members(const ir::program& program, const detail::arguments_view& arguments,
                                        detail::evaluation_result* results) {
    std::vector<sharded_result> all = evaluate_parts(*this, program, arguments);
    for (std::size_t r = 0; r < all.size(); ++r)
        results[r].made = redistribute(*this, all[r].parts, results[r].extents, all[r].axis, -1, true).front();
}

}  // namespace sinter::codegen
