// Sorting: its rules, and its kernels in order.
#include <codegen/functions/sort.hpp>

#include <codegen/ir/print.hpp>
#include <codegen/ir/round.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sinter::codegen {
namespace {

using kind = call_argument::kind;

/// Where an array of all elements lies: a result, or a part of the workspace.
struct sort_buffer {
    call_argument values, indices;
};

call_argument number(std::int64_t n) { return {kind::number, 0, n}; }

}  // namespace

call_launch launch_of(sort_kernel which, const sort_order& order, bool last, std::int64_t blocks,
                      std::vector<call_argument> arguments) {
    return {fmt::format("sort {} {} {} {:x} {:x} {} {}", static_cast<int>(which), order.word_bytes, order.parts,
                        order.sign, order.infinity, order.descending, last),
            [which, order, last] {
                return rendered{sort_text(which, order, last), "sinter_kernel", {}};
            },
            blocks, sort_block, std::move(arguments)};
}

call_array sorted_array(const std::vector<call_array>& operands, const call_integers&, int result) {
    call_array made = operands[0];
    constexpr std::int64_t max_length = 0xfffffffe;  // positions have 32 bits
    if (rows_of(made).length > max_length)
        throw error(fmt::format("sort: the axis of the operand of shape {} is longer than 4294967294 elements",
                                shape_text(made.shape.data(), made.rank)));
    if (result == 1) made.type = dtype::int64;
    return made;
}

call_launches sort_on_device(const call_site& call, const machine&) {
    const call_array& x = call.operands[0];
    const auto [rows, length] = rows_of(x);
    const sort_order order = order_of(x.type, call.integers[0] != 0);
    const std::int64_t count = rows * length;
    const auto span =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(length, sort_tile))));
    call_launches all;
    const auto reserve = [&](std::int64_t bytes) {
        const std::int64_t at = all.workspace_bytes;
        all.workspace_bytes += round_up(bytes, std::int64_t{256});
        return call_argument{kind::workspace, 0, at};
    };
    const sort_buffer results{{kind::result, 0, 0}, {kind::result, 1, 0}};
    sort_buffer held[2];
    if (length > sort_tile) {
        held[0] = {reserve(x.bytes()), reserve(count * 4)};
        if (length > 2 * sort_tile) held[1] = {reserve(x.bytes()), reserve(count * 4)};
    }
    const std::int64_t blocks = divide_up(rows * divide_up(length, span), sort_tile / span);
    bool is_last = length <= sort_tile;
    sort_buffer to = is_last ? results : held[0];
    all.kernels.push_back(
        launch_of(sort_kernel::tiles, order, is_last, blocks,
                  {to.values, to.indices, {kind::operand, 0, 0}, number(rows), number(length), number(span)}));
    int other = 1;
    for (std::int64_t width = sort_tile; width < length; width *= 2, other = 1 - other) {
        const sort_buffer from = to;
        is_last = 2 * width >= length;
        to = is_last ? results : held[other];
        all.kernels.push_back(launch_of(
            sort_kernel::merge, order, is_last, divide_up(count, std::int64_t{sort_block}),
            {to.values, to.indices, from.values, from.indices, number(count), number(length), number(width)}));
    }
    return all;
}

gradient::term gradient_of_sort(gradient::builder& b, int call, int, gradient::term g) {
    graph_node order = b[call];
    order.bits = 1;
    order.type = dtype::int64;
    const gradient::term from = b.push(order);  // where each element of the result came from
    graph_node back = order;
    back.in[0] = from.node;
    back.integers = {};
    const gradient::term to = b.push(back);  // where each element of the operand went
    const int axis = order.rank - 1;
    return b.gather(b.broadcast(g, order.rank, order.shape), axis, order.shape[static_cast<std::size_t>(axis)], to);
}

}  // namespace sinter::codegen
