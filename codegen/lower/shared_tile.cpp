// Products with few tiles: several blocks share a tile, and divide the steps of its reductions. Each stores what its
// share comes to; the last one folds all shares, in their order, whichever block finishes last, and computes what
// follows.
#include <codegen/lower/shared_tile.hpp>

#include <codegen/lower/workspace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// Published results that a thread has in flight: they are read from the L2 cache, and one by one would each pay its
/// latency.
constexpr unsigned results_in_flight = 64, max_shares_in_flight = 16;

int shares_in_flight(const std::vector<thread_results>& all) {
    unsigned of_share = 0;
    for (const thread_results& one : all) of_share += static_cast<unsigned>(one.count);
    return static_cast<int>(std::bit_floor(std::clamp(results_in_flight / of_share, 1u, max_shares_in_flight)));
}

/// Publishes and folds the results of one thread.
class share_folder {
public:
    share_folder(lowering& lowered, const shared_tile& shared, const std::vector<thread_results>& results)
        : c(lowered), of(shared), all(results), base(c.workspace()) {}

    void publish(const scalar& share) {
        if (of.has_results) c.b.open_branch(of.has_results);
        each(share, [&](const thread_results& one, id share_at, const auto& result, const scalar& number) {
            const id run = declare_run(one);
            each_element(one, [&](const scalar& e) { c.b.assign(element_of(one, run, e), result(e)); });
            c.b.assign(published(one, share_at, number), c.b.element(run, {}));
        });
        c.b.fence("the share is visible before the ticket is drawn");
        if (of.has_results) c.b.close();
    }

    /// Sets the results to the fold of some shares.
    void fold(const scalar& first, const scalar& end, const scalar& distance) {
        if (of.has_results) c.b.open_branch(of.has_results);
        clear();
        add(first, end, distance);
        if (of.has_results) c.b.close();
    }

private:
    void clear() {
        for (const thread_results& one : all)
            one.each([&](const auto& result, const scalar&) {
                each_element(one, [&](const scalar& e) { c.b.assign(result(e), c.identity(one.reduction)); });
            });
    }

    void add(const scalar& first, const scalar& end, const scalar& distance) {
        const scalar p = c.b.open_loop("p", dtype::int32, first, end, distance, shares_in_flight(all));
        each(p, [&](const thread_results& one, id share_at, const auto& result, const scalar& number) {
            const id run = declare_run(one);
            c.b.assign(c.b.element(run, {}), published(one, share_at, number));
            each_element(one, [&](const scalar& e) {
                c.b.assign(result(e), c.combine(one.reduction, result(e), element_of(one, run, e)));
            });
        });
        c.b.close();
    }

    id declare_run(const thread_results& one) {
        array run{c.unique("run"), space::registers, c.at(one.reduction).type, {}};
        run.packed = one.run;
        return c.b.declare(run);
    }

    scalar element_of(const thread_results& one, id run, const scalar& e) {
        return one.run > 1 ? c.b.element(run, {e}) : c.b.element(run, {});
    }

    template <class Body>
    void each_element(const thread_results& one, const Body& body) {
        const scalar e = c.b.open_unrolled("e", one.run);
        body(e);
        c.b.close();
    }

    /// A thread's results of a share lie a block apart, so that neighbouring threads access neighbours.
    scalar published(const thread_results& one, id share_at, const scalar& number) {
        return c.b.memory(share_at, {{-1, (number * of.threads).at, none}}, 0, one.run);
    }

    template <class Body>
    void each(const scalar& share, const Body& body) {
        int bytes_of_block = ticket_of_block_bytes;
        for (const thread_results& one : all) {
            const dtype type = c.at(one.reduction).type;
            const scalar first = (of.number * of.share.parts + share) * (one.count * of.threads);
            const id share_at = c.b.carve({c.unique(c.name(one.reduction) + "_of_share"), space::global, type, {}},
                                          base, c.b.grid() * bytes_of_block, first + of.thread * one.run);
            one.each([&](const auto& result, const scalar& number) { body(one, share_at, result, number); });
            bytes_of_block += of.threads * one.count * static_cast<int>(size_of(type));
        }
    }

    lowering& c;
    const shared_tile& of;
    const std::vector<thread_results>& all;
    id base;
};

}  // namespace

shared_tile divide_steps(lowering& c, int step) {
    shared_tile of;
    of.share.parts = c.parts();
    of.number = c.b.let_index("shared_tile", dtype::int32, c.b.block() / of.share.parts);
    of.share.part = c.b.let_index("part", dtype::int32, c.b.block() % of.share.parts);
    of.share.range = part_range(c, of.share, "", c.trips(0), step);
    of.thread = c.b.thread();
    of.threads = c.s.block_threads;
    return of;
}

void fold_shares(lowering& c, const shared_tile& of, const std::vector<thread_results>& all) {
    c.b.blank();
    c.b.comment(fmt::format(
        "Publish the share's results in the workspace, and draw a ticket. The block that draws the last ticket of {0} "
        "shares folds them, in their order; the last one of these blocks folds what every {0} shares come to.",
        shares_of_set));
    const auto variable = [&](const char* name, const scalar& value) {
        return c.b.index_variable(name, dtype::int32, value);
    };
    const scalar& parts = of.share.parts;
    const scalar set = c.b.let_index("set", dtype::int32, of.share.part / shares_of_set);
    const scalar first = variable("first", set * shares_of_set), left = parts - first;
    const scalar shares = variable("shares", c.b.select(left < shares_of_set, left, c.b.integer(shares_of_set)));
    const scalar distance = variable("distance", c.b.integer(1)), own = variable("own", of.share.part);
    share_folder folder(c, of, all);
    const scalar level =
        c.b.open_loop("level", dtype::int32, c.b.integer(0),
                      c.b.select(shares_of_set < parts, c.b.integer(2), c.b.integer(1)), c.b.integer(1), 1);
    folder.publish(own);
    array counter{"ticket", space::global, dtype::uint32, {}};
    counter.is_index = true;
    const id ticket =
        c.b.carve(counter, c.workspace(), {}, c.b.select(level < 1, c.b.grid() + of.number * parts + set, of.number));
    continue_in_last_block(c, ticket, shares, true);
    folder.fold(first, first + shares * distance, distance);
    reset_ticket(c, ticket);
    c.b.assign(own, first);
    c.b.assign(first, c.b.integer(0));
    c.b.assign(shares, (parts + (shares_of_set - 1)) / shares_of_set);
    c.b.assign(distance, c.b.integer(shares_of_set));
    c.b.close();
}

}  // namespace sinter::codegen::lower
