// Histograms: their rules, and their kernels in order.
#include <codegen/functions/histogram.hpp>

#include <codegen/cuda/histogram.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/schedule.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

using kind = call_argument::kind;

call_array counts_of(std::int64_t bins) {
    call_array made;
    made.type = dtype::int64;
    made.rank = 1;
    made.shape[0] = bins;
    return made;
}

call_launch launch_of(const histogram_source& source, std::int64_t blocks, std::vector<call_argument> arguments) {
    return {fmt::format("{} {} {} {}", histogram_name(source.which), name(source.type), source.capacity,
                        source.wide_totals),
            [source](const argument_functions& f) {
                return printed_kernel{histogram_text(source, f.operands[0]), histogram_name(source.which), {}};
            },
            blocks, threads_of(source.which), std::move(arguments)};
}

/// Blocks that share the elements: as many as are resident at once, each with more to read than counters to add.
std::int64_t blocks_for(std::int64_t bytes, int capacity, const device_properties& m) {
    const std::int64_t resident = capacity > 0 ? 4 : 8;
    constexpr std::int64_t read_at_once = std::int64_t{16} * histogram_block * histogram_reads;
    const std::int64_t share = std::max(2 * read_at_once, std::int64_t{16} * capacity);
    return std::clamp<std::int64_t>(divide_up(bytes, share), 1, resident * m.multiprocessors);
}

/// Counting in pairs adds all counters of every multiprocessor to the totals. One H200: an addition to a random address
/// of global memory takes 13 ps, all these take 20 us for 100,000 bins.
histogram_kernel kernel_for_integers(std::int64_t bins, std::int64_t elements, const device_properties& m) {
    constexpr std::int64_t elements_per_bin = 32;
    if (bins <= max_shared_bins) return histogram_kernel::integers;
    const bool fits = pair_bytes(bins) <= static_cast<std::int64_t>(m.dynamic_shared_per_block);
    return fits && elements >= elements_per_bin * bins ? histogram_kernel::paired_integers
                                                       : histogram_kernel::many_integers;
}

/// The kernel that counts and, where several blocks add to totals in the workspace, the one that makes results of them.
call_launches count(histogram_kernel which, const call_site& call, const device_properties& m) {
    const std::int64_t bins = call.results[0].shape[0];
    const bool in_static = which == histogram_kernel::integers || which == histogram_kernel::few_edges;
    histogram_source source{which, call.operands[0].type, in_static ? bin_capacity(bins) : 0};
    source.wide_totals = call.operands[0].elements() >= std::int64_t{1} << 32;
    const bool in_pairs = which == histogram_kernel::paired_integers;
    const std::int64_t blocks = in_pairs ? m.multiprocessors : blocks_for(call.operands[0].bytes(), source.capacity, m);
    const call_argument totals{kind::workspace, 0, 0}, number_of_bins{kind::number, 0, bins};

    call_launches all;
    const bool shares_totals = !in_static || blocks > 1;
    if (shares_totals)
        all.workspace_bytes = all.zeroed = round_up(bins, std::int64_t{2}) * (source.wide_totals ? 8 : 4);
    std::vector<call_argument> arguments{{kind::result, 0, 0},
                                         shares_totals ? totals : call_argument{kind::null, 0, 0}};
    for (std::size_t i = 0; i < call.operands.size(); ++i) arguments.push_back({kind::operand, static_cast<int>(i), 0});
    arguments.push_back({kind::number, 0, call.operands[0].elements()});
    arguments.push_back(number_of_bins);
    all.kernels.push_back(launch_of(source, blocks, std::move(arguments)));
    if (in_pairs) all.kernels.back().shared_bytes = static_cast<unsigned>(pair_bytes(bins));
    if (shares_totals)
        all.kernels.push_back(launch_of({histogram_kernel::store, dtype::int64, 0, source.wide_totals},
                                        divide_up(bins, std::int64_t{histogram_block}),
                                        {{kind::result, 0, 0}, totals, number_of_bins}));
    return all;
}

}  // namespace

element_access counted_by_element(const call_site&) { return {1, 0, 1}; }

call_array bincount_array(const std::vector<call_array>&, const call_integers& integers, int) {
    return counts_of(integers[0]);
}

call_launches bincount_on_device(const call_site& call, const device_properties& m) {
    return count(kernel_for_integers(call.results[0].shape[0], call.operands[0].elements(), m), call, m);
}

call_array histogram_array(const std::vector<call_array>& operands, const call_integers&, int) {
    return counts_of(operands[1].elements() - 1);
}

call_launches histogram_on_device(const call_site& call, const device_properties& m) {
    const bool few = call.results[0].shape[0] <= max_few_edges_bins;
    return count(few ? histogram_kernel::few_edges : histogram_kernel::many_edges, call, m);
}

}  // namespace sinter::codegen
