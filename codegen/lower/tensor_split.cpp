// Products with few tiles: several blocks share a tile, and divide the steps of its sums. Each stores what its share
// comes to; the last one adds all shares, in their order, whichever block finishes last, and computes what follows.
#include <codegen/lower/tensor.hpp>
#include <codegen/lower/workspace.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

/// The number of the tile.
scalar tensor_lowering::divide_steps() {
    share.parts = c.parts();
    tile = c.b.let_index("shared_tile", dtype::int32, c.b.block() / share.parts);
    share.part = c.b.let_index("part", dtype::int32, c.b.block() % share.parts);
    share.range = part_range(c, share, "", c.trips(0), t.depth);
    return c.s.wide_index ? c.b.index_cast(dtype::int64, tile) : tile;
}

void tensor_lowering::fold_shares() {
    c.b.blank();
    c.b.comment(
        "Publish the share's sums in the workspace, and draw a ticket. The block that draws the last ticket of its "
        "tile adds all shares, in their order.");
    const id base = c.workspace();
    array counter{"ticket", space::global, dtype::uint32, {}};
    counter.is_index = true;
    ticket = c.b.carve(counter, base, {}, tile);
    const id all =
        c.b.carve({"sums_of_share", space::global, dtype::float32, {}}, base, c.b.grid() * ticket_of_block_bytes);
    c.b.open_branch(1 < share.parts);
    add_shares(all);
    c.b.close();
}

void tensor_lowering::add_shares(id all) {
    const int held = row_fragments() * result_fragments() * fragment_elements;
    const auto published = [&](const scalar& p, const scalar& n) {
        const scalar index = ((tile * share.parts + p) * held + n) * c.s.block_threads + c.b.thread();
        return c.b.memory(all, {{-1, index.at, none}});
    };
    const auto each = [&](const auto& body) {
        unrolled("i", row_fragments(), [&](const scalar& i) {
            unrolled("j", result_fragments(), [&](const scalar& j) {
                unrolled("e", fragment_elements, [&](const scalar& e) {
                    body(c.b.element(sums, {i, j, e}), (i * result_fragments() + j) * fragment_elements + e);
                });
            });
        });
    };
    each([&](const scalar& sum, const scalar& n) { c.b.assign(published(share.part, n), sum); });
    c.b.fence("the share is visible before the ticket is drawn");
    continue_in_last_block(c, ticket, share.parts, true);
    each([&](const scalar& sum, const scalar&) { c.b.assign(sum, c.identity(of.sum)); });
    const scalar p = c.b.open_loop("p", dtype::int32, c.b.integer(0), share.parts, c.b.integer(1), held <= 16 ? 4 : 1);
    each([&](const scalar& sum, const scalar& n) { c.b.assign(sum, c.combine(of.sum, sum, published(p, n))); });
    c.b.close();
}

}  // namespace sinter::codegen::lower
