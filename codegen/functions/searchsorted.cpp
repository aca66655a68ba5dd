// Searches and interpolation: their shape rules, kernels and gradient.
#include <codegen/functions/searchsorted.hpp>

#include <codegen/autodiff/gradient.hpp>
#include <codegen/cuda/search_tree.hpp>
#include <codegen/cuda/sort.hpp>
#include <codegen/functions/sort.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/schedule.hpp>
#include <sinter/call.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sinter::codegen {

namespace {
using kind = call_argument::kind;
}

call_array array_of_places(const std::vector<call_array>& operands, const call_integers&, int) {
    call_array made = operands[1];
    made.type = dtype::int64;
    return made;
}

namespace {

/// Each block makes a tree of its own, so there are no more blocks than are resident.
std::int64_t blocks_for(std::int64_t count, const device_properties& m) {
    const std::int64_t resident = std::int64_t{m.multiprocessors} * (m.threads_per_multiprocessor / sort_block);
    return std::min(divide_up(count, searched_at_once * sort_block), resident);
}

/// Elements per separator of a tree.
std::int64_t step_for(std::int64_t length, int levels) {
    return std::max(divide_up(length, std::int64_t{1} << levels), std::int64_t{1});
}

}  // namespace

call_launches search_on_device(const call_site& call, const device_properties& m) {
    const std::int64_t count = call.operands[1].elements();
    const std::int64_t length = call.operands[0].elements();
    const sort_order order = order_of(call.operands[0].type, false);
    std::vector<call_argument> arguments{{kind::result, 0, 0},      {kind::operand, 0, 0},
                                         {kind::operand, 1, 0},     {kind::number, 0, count},
                                         {kind::number, 0, length}, {kind::number, 0, call.integers[0]}};
    call_launches all;
    if (order.parts > 1) {
        const std::int64_t blocks = divide_up(count, std::int64_t{sort_block});
        all.kernels.push_back(launch_of({sort_kernel::search, true}, order, blocks, std::move(arguments)));
        return all;
    }
    const int levels = tree_levels(length, max_tree_levels);
    const std::int64_t step = step_for(length, levels);
    sort_source source{sort_kernel::search_tree, true, levels};
    source.is_whole = step == 1;
    arguments.push_back({kind::number, 0, step});
    all.kernels.push_back(launch_of(source, order, blocks_for(count, m), std::move(arguments)));
    return all;
}

call_array interpolated_array(const std::vector<call_array>& operands, const call_integers&, int) {
    const std::int64_t points = operands[0].elements(), values = operands[1].elements();
    if (points == 0) throw error("interp: there are no points; give known_x and known_y at least one element");
    if (points != values)
        throw error(fmt::format("interp: known_x has {} elements and known_y has {}; give both the same number", points,
                                values));
    return operands[2];
}

call_launches interpolate_on_device(const call_site& call, const device_properties& m) {
    const std::int64_t count = call.operands[2].elements(), length = call.operands[0].elements();
    const bool is_whole = length <= std::int64_t{1} << max_levels_with_points;
    const int levels = tree_levels(length, is_whole ? max_levels_with_points : max_tree_levels);
    const interpolate_source source{levels, call.operands[2].type == dtype::float64, is_whole};
    call_launches all;
    all.kernels.push_back({fmt::format("interpolate {} {} {}", source.levels, source.is_double, source.is_whole),
                           [source](const argument_functions&) {
                               return printed_kernel{interpolate_text_of(source), "interpolate", {}};
                           },
                           blocks_for(count, m),
                           sort_block,
                           {{kind::result, 0, 0},
                            {kind::operand, 0, 0},
                            {kind::operand, 1, 0},
                            {kind::operand, 2, 0},
                            {kind::number, 0, count},
                            {kind::number, 0, length},
                            {kind::number, 0, step_for(length, levels)}}});
    return all;
}

gradient::term gradient_of_interp(gradient::builder& b, int call, int operand, gradient::term g) {
    const graph_node made = b[call];
    const std::int64_t last = b[made.in[0]].shape[0] - 1;
    extents flat{};
    flat[0] = 1;
    for (int a = 0; a < made.rank; ++a) flat[0] *= made.shape[static_cast<std::size_t>(a)];
    const gradient::term known_x = b.at(made.in[0]), known_y = b.at(made.in[1]);
    const gradient::term x = b.reshape(b.at(made.in[2]), 1, flat);
    g = b.reshape(b.broadcast(g, made.rank, made.shape), 1, flat);

    graph_node search = *x;
    search.what = ir::kind::call;
    search.callee = &sinter::detail::calls::searchsorted;
    search.type = dtype::int64;
    search.integers = {};
    search.integers[0] = 1;
    search.in = made.in;
    search.in[0] = known_x.node;
    search.in[1] = x.node;
    search.in[2] = -1;
    const gradient::term not_above = b.push(search), most = b.number(last);
    const auto point = [&](const gradient::term& known, const gradient::term& at) {
        return b.gather(known, 0, flat[0], gradient::minimum(gradient::maximum(at, 0.0), most));
    };
    const gradient::term x0 = point(known_x, not_above - 1.0), x1 = point(known_x, not_above);
    const gradient::term y0 = point(known_y, not_above - 1.0), y1 = point(known_y, not_above);
    const gradient::term below = x <= point(known_x, b.broadcast(b.number(0), 1, flat));
    const gradient::term above = x >= point(known_x, b.broadcast(most, 1, flat));
    const gradient::term slope = (y1 - y0) / (x1 - x0), share = (x - x0) / (x1 - x0);
    const auto within = [&](const gradient::term& by) {
        return gradient::where(below, 0.0, gradient::where(above, 0.0, by));
    };
    if (operand == 2) return b.reshape(within(g * slope), made.rank, made.shape);
    if (operand == 0)
        return gradient::through_view(b, x0.node, within(g * slope * (share - 1.0))) -
               gradient::through_view(b, x1.node, within(g * slope * share));
    return gradient::through_view(b, y0.node, gradient::where(below, g, within(g * (1.0 - share)))) +
           gradient::through_view(b, y1.node, gradient::where(above, g, within(g * share)));
}

}  // namespace sinter::codegen
