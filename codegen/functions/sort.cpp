// Sorting: its rules, and its kernels in order.
#include <codegen/functions/sort.hpp>

#include <codegen/cuda/radix_sort.hpp>
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

namespace {

/// The launches that sort rows, as they are put together.
class sorting {
public:
    explicit sorting(const call_site& call)
        : order_(order_of(call.operands[0].type, call.integers[0] != 0)), x_(call.operands[0]), all_(rows_of(x_)) {
        wants_indices_ = call.wants(1);
    }

    call_launches run() {
        if (all_.length > sort_tile && order_.parts == 1) {
            by_digits();
        } else {
            const bool in_one = all_.length <= sort_tile;
            for (int b = 0; b < 2 && !in_one; ++b) held_[b] = {reserve(x_.bytes()), reserve(count() * 4)};
            sort_buffer to = in_one ? results : held_[0];
            sort_tiles(to, in_one);
            for (std::int64_t width = sort_tile; width < all_.length; width *= 2) to = merge(to, width);
        }
        return std::move(made_);
    }

private:
    static constexpr sort_buffer results{{kind::result, 0, 0}, {kind::result, 1, 0}};

    std::int64_t count() const { return all_.rows * all_.length; }
    call_argument reserve(std::int64_t bytes) {
        const std::int64_t at = made_.workspace_bytes;
        made_.workspace_bytes += round_up(bytes, std::int64_t{256});
        return {kind::workspace, 0, at};
    }
    /// The buffer that does not hold what is read.
    const sort_buffer& other(const sort_buffer& from) const {
        return held_[from.values.value == held_[0].values.value ? 1 : 0];
    }
    void launch(sort_kernel which, bool last, std::int64_t blocks, std::vector<call_argument> arguments) {
        made_.kernels.push_back(launch_of(which, order_, last, blocks, std::move(arguments)));
    }

    void sort_tiles(const sort_buffer& to, bool last) {
        const auto span = static_cast<std::int64_t>(
            std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(all_.length, sort_tile))));
        launch(sort_kernel::tiles, last, divide_up(all_.rows * divide_up(all_.length, span), sort_tile / span),
               {to.values, to.indices, {kind::operand, 0, 0}, number(all_.rows), number(all_.length), number(span)});
    }

    sort_buffer merge(const sort_buffer& from, std::int64_t width) {
        const bool last = 2 * width >= all_.length;
        const sort_buffer to = last ? results : other(from);
        launch(sort_kernel::merge, last, divide_up(count(), std::int64_t{sort_block}),
               {to.values, to.indices, from.values, from.indices, number(count()), number(all_.length), number(width)});
        return to;
    }

    /// From the lowest digit to the highest. Indices travel along where they are wanted.
    void by_digits() {
        const std::int64_t tiles = divide_up(all_.length, std::int64_t{radix_tile});
        const call_argument nothing{kind::null, 0, 0};
        const call_argument table = reserve(all_.rows * tiles * radix_digits * 4);
        const bool few = tiles <= radix_few_tiles;
        const call_argument totals = few ? nothing : reserve(all_.rows * radix_digits * 4);
        const int buffers = std::min(order_.word_bytes - 1, 2);
        for (int b = 0; b < buffers; ++b)
            held_[b] = {reserve(x_.bytes()), wants_indices_ ? reserve(count() * 4) : nothing};
        sort_buffer from{{kind::operand, 0, 0}, nothing};
        for (int digit = 0; digit < order_.word_bytes; ++digit) {
            const bool last = digit + 1 == order_.word_bytes;
            const sort_buffer to = last ? results : held_[digit % 2];
            launch(sort_kernel::count, false, all_.rows * tiles,
                   {table, from.values, number(all_.length), number(tiles), number(8 * digit)});
            if (!few) launch(sort_kernel::sums, false, all_.rows * radix_digits, {table, totals, number(tiles)});
            launch(sort_kernel::place, last, all_.rows * tiles,
                   {to.values, to.indices, from.values, from.indices, table, totals, number(all_.length), number(tiles),
                    number(8 * digit)});
            from = to;
        }
    }

    const sort_order order_;
    const call_array& x_;
    const sorted_rows all_;
    bool wants_indices_ = false;
    sort_buffer held_[2];
    call_launches made_;
};

}  // namespace

call_launches sort_on_device(const call_site& call, const machine&) { return sorting(call).run(); }

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
