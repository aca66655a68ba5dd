// Sorting: its shape rules and its sequence of kernels.
#include <codegen/functions/sort.hpp>

#include <codegen/cuda/radix_sort.hpp>
#include <codegen/cuda/row_sort.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/round.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sinter::codegen {

namespace {

int threads_of(const sort_source& source, const sort_order& order) {
    switch (source.which) {
        case sort_kernel::short_rows: return short_row_threads;
        case sort_kernel::row_values: return (1 << source.items) / network_items(order.word_bytes);
        default: return sort_block;
    }
}

}  // namespace

call_launch launch_of(const sort_source& source, const sort_order& order, std::int64_t blocks,
                      std::vector<call_argument> arguments) {
    const int threads = threads_of(source, order);
    return {fmt::format("{} {} {} {:x} {:x} {} {} {} {} {} {}", sort_name(source.which), order.word_bytes, order.parts,
                        order.sign, order.infinity, order.descending, source.last, source.items, source.wide_states,
                        source.values_only, source.is_whole),
            [source, order](const argument_functions& f) {
                return printed_kernel{sort_text(source, order, f.operands[0]), sort_name(source.which), {}};
            },
            blocks, threads, std::move(arguments)};
}

call_array sorted_array(const std::vector<call_array>& operands, const call_integers&, int result) {
    call_array made = operands[0];
    constexpr std::int64_t max_length = 0xfffffffe;  // positions have 32 bits
    if (rows_of(made).length > max_length)
        throw error(fmt::format("sort: the axis of shape {} has more than 4294967294 elements; sort shorter pieces",
                                shape_text(made.shape.data(), made.rank)));
    if (result == 1) made.type = dtype::int64;
    return made;
}

namespace {

using kind = call_argument::kind;

constexpr call_argument nothing{kind::null, 0, 0};

call_argument number(std::int64_t n) { return {kind::number, 0, n}; }

bool is_result(const call_argument& a) { return a.what == kind::result; }

/// Builds the launches that sort rows.
class sorting {
public:
    sorting(call_launches& made, const call_array& x, const sort_order& order, bool tracked, const device_properties& m)
        : made_(made), order_(order), x_(x), all_(rows_of(x)), tracked_(tracked), m_(m) {}

    sort_buffer run(const sort_buffer* results) {
        if (is_by_digits()) {
            by_digits(results);
        } else {
            choose_destinations(results);
            if (order_.parts == 1 && all_.length <= short_row)
                short_rows();
            else if (order_.parts == 1 && all_.length > row_threads)
                is_by_network() ? row_values() : rows();
            else
                by_merging();
        }
        return results_;
    }

    /// Whether the operand is read once: digits are counted first, and a network may store what it has not kept.
    bool reads_once() const { return !is_by_digits() && !is_by_network(); }

private:
    bool is_by_digits() const { return order_.parts == 1 && all_.length > tile(); }
    bool is_by_network() const {
        return order_.parts == 1 && all_.length > row_threads && !tracked_ && order_.word_bytes >= 4;
    }
    /// Elements of the longest row that a block sorts.
    std::int64_t tile() const { return std::int64_t{row_threads} * max_row_items(order_.word_bytes); }
    std::int64_t count() const { return all_.rows * all_.length; }
    call_argument reserve(std::int64_t bytes) {
        const std::int64_t at = made_.workspace_bytes;
        made_.workspace_bytes += round_up(bytes, std::int64_t{256});
        return {kind::workspace, 0, at};
    }
    /// The buffer that is not being read.
    const sort_buffer& other(const sort_buffer& from) const {
        return held_[from.values.value == held_[0].values.value ? 1 : 0];
    }
    void launch(sort_source source, const sort_buffer& to, std::int64_t blocks, std::vector<call_argument> rest) {
        source.last = is_result(to.values) || is_result(to.indices);
        rest.insert(rest.begin(), {to.values, to.indices});
        made_.kernels.push_back(launch_of(source, order_, blocks, std::move(rest)));
    }

    void choose_destinations(const sort_buffer* results) {
        if (results != nullptr)
            results_ = *results;
        else
            results_ = {reserve(x_.bytes()), tracked_ ? reserve(count() * 4) : nothing};
    }

    void by_merging() {
        const bool in_one = all_.length <= sort_tile;
        for (int b = 0; b < 2 && !in_one; ++b) held_[b] = {reserve(x_.bytes()), reserve(count() * 4)};
        sort_buffer to = in_one ? results_ : held_[0];
        sort_tiles(to);
        for (std::int64_t width = sort_tile; width < all_.length; width *= 2) to = merge(to, width);
    }

    void short_rows() {
        const int items = std::bit_ceil(static_cast<unsigned>(all_.length));
        launch({sort_kernel::short_rows, false, items, false, !tracked_}, results_,
               divide_up(all_.rows, std::int64_t{short_row_threads}),
               {operand, number(all_.rows), number(all_.length)});
    }

    /// Not of short words, whose few digits take less time than a network.
    void row_values() {
        launch({sort_kernel::row_values, false, network_bits(all_.length, order_.word_bytes)}, results_, all_.rows,
               {operand, number(all_.length)});
    }

    void rows() {
        launch({sort_kernel::rows, false, row_items(all_.length)}, results_, all_.rows, {operand, number(all_.length)});
    }

    void sort_tiles(const sort_buffer& to) {
        const auto span = static_cast<std::int64_t>(
            std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(all_.length, sort_tile))));
        launch({sort_kernel::tiles}, to, divide_up(all_.rows * divide_up(all_.length, span), sort_tile / span),
               {operand, number(all_.rows), number(all_.length), number(span)});
    }

    sort_buffer merge(const sort_buffer& from, std::int64_t width) {
        const sort_buffer to = 2 * width >= all_.length ? results_ : other(from);
        launch({sort_kernel::merge}, to, divide_up(count(), std::int64_t{sort_block}),
               {from.values, from.indices, number(count()), number(all_.length), number(width)});
        return to;
    }

    /// Counters of each value of a digit for as many lanes as shared memory has room for in three blocks.
    int count_copies() const {
        const auto room = static_cast<int>(std::min<std::size_t>(m_.dynamic_shared_per_block, max_counter_bytes));
        int copies = 16;
        while (copies > 1 && copies * counter_bytes(order_.word_bytes) > room) copies /= 2;
        return copies;
    }

    /// Sorts by digits, lowest first. The counters must be zero, so they are at the beginning of the workspace.
    void by_digits(const sort_buffer* results) {
        const int digits = order_.word_bytes, items = radix_items(digits, tracked_);
        const std::int64_t tiles = divide_up(all_.length, std::int64_t{sort_block} * items);
        const bool wide = all_.length >= std::int64_t{1} << 30;
        const call_argument totals = reserve(all_.rows * digits * radix_digits * 4), tickets = reserve(digits * 4);
        const std::int64_t states_bytes = all_.rows * tiles * radix_digits * (wide ? 8 : 4);
        std::vector<call_argument> states;
        for (int digit = 0; digit < digits; ++digit) states.push_back(reserve(states_bytes));
        made_.zeroed = made_.workspace_bytes;
        choose_destinations(results);
        for (int b = 0; b < std::min(digits - 1, 2); ++b)
            held_[b] = {reserve(x_.bytes()), tracked_ ? reserve(count() * 4) : nothing};

        const std::int64_t pieces = divide_up(all_.length, std::int64_t{radix_counted});
        const int copies = count_copies();
        made_.kernels.push_back(launch_of({sort_kernel::count, false, copies}, order_, all_.rows * pieces,
                                          {totals, operand, number(all_.length), number(pieces)}));
        made_.kernels.back().shared_bytes = static_cast<unsigned>(copies * counter_bytes(digits));
        made_.kernels.push_back(
            launch_of({sort_kernel::sums}, order_, all_.rows * digits, {totals, number(all_.length)}));
        sort_buffer from{operand, nothing};
        for (int digit = 0; digit < digits; ++digit) {
            const sort_buffer to = digit + 1 == digits ? results_ : held_[digit % 2];
            const call_argument ticket{kind::workspace, 0, tickets.value + 4 * digit};
            launch({sort_kernel::place, false, items, wide, !tracked_}, to, all_.rows * tiles,
                   {from.values, from.indices, totals, states[static_cast<std::size_t>(digit)], ticket,
                    number(all_.length), number(tiles), number(8 * digit)});
            from = to;
        }
    }

    static constexpr call_argument operand{kind::operand, 0, 0};
    call_launches& made_;
    const sort_order order_;
    const call_array& x_;
    const sorted_rows all_;
    const bool tracked_;
    const device_properties& m_;
    sort_buffer results_, held_[2];
};

}  // namespace

sort_buffer append_sorting(call_launches& made, const call_array& x, const sort_order& order,
                           const sort_buffer* results, bool tracked, const device_properties& m) {
    return sorting(made, x, order, tracked, m).run(results);
}

call_launches sort_on_device(const call_site& call, const device_properties& m) {
    call_launches made;
    const sort_buffer results{{kind::result, 0, 0}, {kind::result, 1, 0}};
    append_sorting(made, call.operands[0], order_of(call.operands[0].type, call.integers[0] != 0), &results,
                   call.wants(1), m);
    return made;
}

element_access sorted_by_element(const call_site& call) {
    call_launches none;
    const sort_order order = order_of(call.operands[0].type, call.integers[0] != 0);
    return {sorting(none, call.operands[0], order, call.wants(1), device_properties()).reads_once() ? 1u : 0u, 0, 1};
}

gradient::term gradient_of_sort(gradient::builder& b, int call, int, gradient::term g) {
    graph_node order = b[call];
    order.bits = 1;
    order.type = dtype::int64;
    const gradient::term from = b.push(order);  // index in the operand of each result
    graph_node back = order;
    back.in[0] = from.node;
    back.integers = {};
    const gradient::term to = b.push(back);  // index in the result of each element of the operand
    const int axis = order.rank - 1;
    return b.gather(b.broadcast(g, order.rank, order.shape), axis, order.shape[static_cast<std::size_t>(axis)], to);
}

}  // namespace sinter::codegen
