// Selection: its shape rules and its sequence of kernels.
#include <codegen/cuda/row_sort.hpp>
#include <codegen/functions/sort.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/schedule.hpp>
#include <sinter/call.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {

call_array selected_array(const std::vector<call_array>& operands, const call_integers& integers, int result) {
    call_array made = sorted_array(operands, integers, result);
    made.shape[static_cast<std::size_t>(made.rank - 1)] = integers[2];
    return made;
}

namespace {

using kind = call_argument::kind;

/// Builds the launches of a selection.
class selecting {
public:
    selecting(const call_site& call, const device_properties& m)
        : x_(call.operands[0]),
          all_(rows_of(x_)),
          order_(order_of(x_.type, call.integers[0] != 0)),
          first_(call.integers[1]),
          count_(call.integers[2]),
          spoils_(call.integers[3] != 0),
          tracked_(call.wants(1)),
          many_rows_(std::int64_t{warps_of_row} * m.multiprocessors),
          m_(m) {}

    call_launches run() {
        const bool in_blocks = order_.parts == 1 && all_.length > row_threads && count_ <= max_selected;
        const bool is_bounded = first_ == 0 && count_ <= max_first && !spoils_;
        if (in_blocks && is_bounded && all_.length > selected_piece)
            select_of_pieces();
        else if (in_blocks && all_.length <= selected_row)
            select({kind::operand, 0, 0}, {kind::null, 0, 0}, all_.length, 1, {result(0), result(1)});
        else
            pick_of_sorted();
        return std::move(made_);
    }

private:
    /// For more ranks, the row is sorted.
    static constexpr std::int64_t max_selected = max_first;
    /// A warp per row takes longer for its row than a block does: from so many rows per multiprocessor on all together
    /// take less time.
    static constexpr int warps_of_row = 16;

    static call_argument number(std::int64_t n) { return {kind::number, 0, n}; }
    static call_argument result(int r) { return {kind::result, r, 0}; }
    call_argument reserve(std::int64_t bytes) {
        const std::int64_t at = made_.workspace_bytes;
        made_.workspace_bytes += round_up(bytes, std::int64_t{256});
        return {kind::workspace, 0, at};
    }

    void select(const call_argument& from, const call_argument& origin, std::int64_t length, std::int64_t pieces,
                const sort_buffer& to) {
        if (first_ == 0 && count_ <= max_first_of_warp && !spoils_ && all_.rows * pieces >= many_rows_) {
            const std::int64_t warps = all_.rows * pieces;
            const sort_source source{sort_kernel::first, to.values.what == kind::result,
                                     first_items(order_.word_bytes)};
            made_.kernels.push_back(launch_of(
                source, order_, divide_up(warps, std::int64_t{row_threads / 32}),
                {to.values, to.indices, from, origin, number(warps), number(pieces), number(length), number(count_)}));
            return;
        }
        const std::int64_t longest = divide_up(length, pieces);
        const int items = longest <= selected_piece ? row_items(longest) : 0;
        const sort_source source{sort_kernel::select, to.values.what == kind::result, items};
        made_.kernels.push_back(launch_of(source, order_, all_.rows * pieces,
                                          {to.values, to.indices, from, origin, number(pieces), number(length),
                                           number(first_), number(count_), number(spoils_)}));
    }

    /// Selects the first elements of each piece of a row, then again among these, until they fit one block.
    void select_of_pieces() {
        call_argument from{kind::operand, 0, 0}, origin{kind::null, 0, 0};
        std::int64_t length = all_.length;
        while (length > selected_piece) {
            const std::int64_t pieces = divide_up(length, selected_piece), kept = all_.rows * pieces * count_;
            const sort_buffer to{reserve(kept * order_.word_bytes), reserve(kept * 4)};
            select(from, origin, length, pieces, to);
            from = to.values;
            origin = to.indices;
            length = pieces * count_;
        }
        select(from, origin, length, 1, {result(0), result(1)});
    }

    void pick_of_sorted() {
        const sort_buffer at = append_sorting(made_, x_, order_, nullptr, tracked_, m_);
        const std::int64_t total = all_.rows * count_;
        made_.kernels.push_back(launch_of({sort_kernel::pick, true}, order_, divide_up(total, std::int64_t{sort_block}),
                                          {result(0), result(1), at.values, at.indices, number(total),
                                           number(all_.length), number(first_), number(count_), number(spoils_)}));
    }

    const call_array& x_;
    const sorted_rows all_;
    const sort_order order_;
    const std::int64_t first_, count_;
    const bool spoils_, tracked_;
    const std::int64_t many_rows_;
    const device_properties& m_;
    call_launches made_;
};

}  // namespace

call_launches select_on_device(const call_site& call, const device_properties& m) { return selecting(call, m).run(); }

gradient::term gradient_of_select(gradient::builder& b, int call, int, gradient::term g) {
    const graph_node n = b[call];
    const graph_node from = b[n.in[0]];
    graph_node order = from;
    order.what = ir::kind::call;
    order.callee = &sinter::detail::calls::sort;
    order.bits = 1;
    order.type = dtype::int64;
    order.integers = {};
    order.integers[0] = n.integers[0];
    order.in[0] = n.in[0];
    const gradient::term places = b.push(order);  // index in the operand of each sorted element
    graph_node back = order;
    back.in[0] = places.node;
    back.integers = {};
    const gradient::term rank = b.push(back);  // rank of each element of the operand
    const int axis = n.rank - 1;
    const std::int64_t count = n.integers[2];
    const gradient::term chosen = rank - b.number(n.integers[1]);
    const gradient::term within = gradient::minimum(gradient::maximum(chosen, 0.0), b.number(count - 1));
    const gradient::term all =
        b.gather(b.broadcast(g, n.rank, n.shape), axis, from.shape[static_cast<std::size_t>(axis)], within);
    return gradient::where(chosen == within, all, 0.0);
}

}  // namespace sinter::codegen
