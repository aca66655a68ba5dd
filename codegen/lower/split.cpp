// Tickets and partial results. Partial results are folded in the order of their parts, whichever block finishes last,
// so the result does not depend on the order in which blocks run.
#include <codegen/lower/split.hpp>

#include <codegen/lower/workspace.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// Partial results in flight per thread, for a thread that folds every `distance`-th one. They are read from the L2
/// cache, and reading them one by one would pay its latency each time.
constexpr int parts_in_flight(int distance) { return distance <= 32 ? 4 : 1; }

}  // namespace

block_part split_range(lowering& c, const std::string& group, const scalar& parts, const scalar& trips, int step,
                       scalar& number) {
    block_part of;
    of.parts = c.b.let_index("parts", dtype::int32, parts);
    if (!group.empty()) number = c.b.let_index(group, dtype::int32, c.b.block() / of.parts);
    of.part = c.b.let_index("part", dtype::int32, group.empty() ? c.b.block() : c.b.block() % of.parts);
    of.range = part_range(c, of, "", trips, step);
    return of;
}

loop_part part_range(lowering& c, const block_part& of, const std::string& suffix, const scalar& trips, int step) {
    const dtype index = c.index_type();
    const scalar share =
        c.b.let_index("share" + suffix, index, ((trips + (step - 1)) / step + of.parts - 1) / of.parts * step);
    const scalar begin = c.b.let_index("begin" + suffix, index, of.part * share);
    return {begin, c.b.let_index("end" + suffix, index, c.b.select(trips - begin < share, trips, begin + share))};
}

void fold_parts(lowering& c, const partial_results& all, const scalar& parts, const scalar& first, int distance,
                const std::function<scalar(const scalar&)>& place) {
    c.open_neighbours();
    for (int r : all.reductions) c.b.assign(c.operand(r), c.identity(r));
    c.close_neighbours();
    const scalar p = c.b.open_loop("p", dtype::int32, first, parts, c.b.integer(distance), parts_in_flight(distance));
    c.open_neighbours();
    for (std::size_t i = 0; i < all.reductions.size(); ++i) {
        const int r = all.reductions[i];
        c.b.assign(c.operand(r), c.combine(r, c.operand(r), c.b.memory(all.arrays[i], {{-1, place(p).at, none}})));
    }
    c.close_neighbours();
    c.b.close();
}

id publish_partials(lowering& c, const split_partials& p, const scalar& parts) {
    partial_results all{p.reductions, {}};
    const id base = c.workspace();
    c.b.blank();
    c.b.comment(
        fmt::format("Publish the part's partial result in the workspace, and draw a ticket. The block that draws the "
                    "last ticket of its {} folds all parts, in the order of the parts.",
                    p.noun));
    array counter{"ticket", space::global, dtype::uint32, {}};
    counter.is_index = true;
    const id ticket = c.b.carve(counter, base, p.before, p.group);
    const scalar room = p.room ? p.room : c.b.grid();
    for (std::size_t i = 0; i < all.reductions.size(); ++i) {
        const int r = all.reductions[i];
        scalar first_byte = p.ticket_per_block ? room * ticket_of_block_bytes : c.b.integer(ticket_bytes);
        if (p.before) first_byte = p.before + first_byte;
        if (i > 0) first_byte = first_byte + room * (static_cast<int>(i) * partial_bytes(c.k) * p.slots);
        all.arrays.push_back(c.b.carve({c.name(r) + "_of_part", space::global, c.at(r).type, {}}, base, first_byte));
    }
    if (p.writer) c.b.open_branch(p.writer);
    c.open_neighbours();
    for (std::size_t i = 0; i < all.reductions.size(); ++i)
        c.b.assign(c.b.memory(all.arrays[i], {{-1, p.slot().at, none}}), c.operand(all.reductions[i]));
    c.close_neighbours();
    c.b.fence("the part is visible before the ticket is drawn");
    if (p.writer) c.b.close();
    continue_in_last_block(c, ticket, parts, p.slots > 1, p.threads);
    fold_parts(c, all, parts, p.first, p.distance, p.place);
    return ticket;
}

void continue_in_last_block(lowering& c, id ticket, const scalar& parts, bool threads_apart, int threads) {
    const scalar last = c.b.element(c.b.declare({"last", space::shared, dtype::bool_, {}}), {});
    const auto wait = [&] {
        if (threads > 0) return c.b.barrier_of_threads(threads);
        c.b.barrier(barrier_scope::block);
    };
    if (threads_apart) wait();
    c.b.open_branch(c.b.thread() == 0);
    const scalar drawn = c.b.ticket("drawn", c.b.memory(ticket, {}), c.b.integer(1, dtype::uint32));
    c.b.assign(last, drawn == c.b.index_cast(dtype::uint32, parts) - 1);
    c.b.close();
    wait();
    if (threads > 0)
        c.b.open_branch(last);
    else
        c.b.leave_if(c.b.negation(last));
    c.b.fence();
}

void reset_ticket(lowering& c, id ticket) {
    c.b.open_branch(c.b.thread() == 0);
    c.b.assign(c.b.memory(ticket, {}), c.b.integer(0), "ready for the next launch");
    c.b.close();
}

}  // namespace sinter::codegen::lower
