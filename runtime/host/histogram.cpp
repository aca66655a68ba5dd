// Counting by bin on all cores: each part of the elements has counters of its own, which are added up in the end.
#include <runtime/host/histogram.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/system/parallel.hpp>
#include <sinter/dtype.hpp>
#include <sinter/number/bins.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace sinter::codegen {
namespace {

/// Counts bin_of(i), which is -1 for none, for i from 0 to count. There are as many parts as have more elements than
/// counters. Of few bins a part has several tables, so that a count need not wait for the one before it.
template <class Bin>
void count_bins(std::int64_t* totals, std::int64_t bins, std::int64_t count, const Bin& bin_of) {
    constexpr std::int64_t least_part = 1 << 14, max_parts = 64, few_bins = 512, several = 4;
    const std::int64_t parts = std::clamp<std::int64_t>(count / std::max(bins, least_part), 1, max_parts);
    const std::int64_t length = divide_up(count, parts), each = bins <= few_bins ? several : 1, tables = parts * each;
    std::vector<std::int64_t> others(static_cast<std::size_t>((tables - 1) * bins));
    const auto table = [&](std::int64_t t) { return t == 0 ? totals : others.data() + (t - 1) * bins; };
    cancellable_loop(parts, 1, [&](std::int64_t part, std::int64_t end) {
        for (; part < end; ++part) {
            std::int64_t* own[several];
            for (std::int64_t t = 0; t < several; ++t) own[t] = table(part * each + t % each);
            for (std::int64_t t = 0; t < each; ++t) std::fill_n(own[t], bins, 0);
            const auto count_one = [&](std::int64_t i, std::int64_t t) {
                if (const std::int64_t bin = bin_of(i); bin >= 0) ++own[t][bin];
            };
            const std::int64_t last = std::min(count, (part + 1) * length);
            std::int64_t i = part * length;
            for (; i + several <= last; i += several)
                for (std::int64_t t = 0; t < several; ++t) count_one(i + t, t);
            for (; i < last; ++i) count_one(i, 0);
        }
    });
    if (tables == 1) return;
    cancellable_loop(bins, least_part / tables, [&](std::int64_t bin, std::int64_t end) {
        for (; bin < end; ++bin)
            for (std::int64_t t = 1; t < tables; ++t) totals[bin] += table(t)[bin];
    });
}

/// An element as it is compared: the 16-bit floating types as float.
template <class T>
auto value_of(T x) {
    if constexpr (std::is_arithmetic_v<T>)
        return x;
    else
        return static_cast<float>(x);
}

/// A cell of one edge or none: no search, whose branches would often be mispredicted.
template <class T>
struct cell_edge {
    int before, edges;
    T edge;

    int not_above(T x) const { return before + (edges & static_cast<int>(edge <= x)); }
};

/// The cells, if none has more edges than one; nothing otherwise.
template <class T, class Edges>
std::vector<cell_edge<T>> single_edges(const std::vector<int>& before, const Edges& edge) {
    std::vector<cell_edge<T>> all;
    for (std::size_t cell = 0; cell + 1 < before.size(); ++cell) {
        const int edges = before[cell + 1] - before[cell];
        if (edges > 1) return {};
        all.push_back({before[cell], edges, edges == 0 ? T() : edge(before[cell])});
    }
    return all;
}

template <class T>
void count_between(std::int64_t* totals, std::int64_t bins, const T* elements, std::int64_t count, const T* edges) {
    using value = decltype(value_of(T()));
    using position = std::conditional_t<sizeof(T) == 8, double, float>;
    constexpr std::int64_t few = 1 << 16;  // edges for which the table of cells is worth its while
    const auto edge = [edges](std::int64_t i) { return value_of(edges[i]); };
    if (bins >= few)
        return count_bins(totals, bins, count, [=](std::int64_t i) {
            const value x = value_of(elements[i]);
            const auto not_above = sinter::detail::number::edges_not_above<value>(x, edge, std::int64_t{0}, bins + 1);
            return sinter::detail::number::bin_of_edges<value>(x, edge, bins, not_above);
        });
    const int all = static_cast<int>(bins) + 1, cells = 4 * all;
    const auto low = static_cast<position>(edge(0));
    const position scale = sinter::detail::number::cell_scale<position>(low, static_cast<position>(edge(bins)), cells);
    std::vector<int> before(static_cast<std::size_t>(cells) + 1);
    for (int cell = 0; cell <= cells; ++cell)
        before[static_cast<std::size_t>(cell)] =
            sinter::detail::number::edges_before_cell<position>(edge, all, cell, low, scale, cells);
    const auto count_in_cells = [&](const auto& not_above_in) {
        count_bins(totals, bins, count, [=](std::int64_t i) {
            const value x = value_of(elements[i]);
            const int cell = sinter::detail::number::cell_of<position>(static_cast<position>(x), low, scale, cells);
            return static_cast<std::int64_t>(
                sinter::detail::number::bin_of_edges<value>(x, edge, all - 1, not_above_in(cell, x)));
        });
    };
    const std::vector<cell_edge<value>> single = single_edges<value>(before, edge);
    if (single.empty())
        count_in_cells([=, from = before.data()](int cell, value x) {
            return sinter::detail::number::edges_not_above<value>(x, edge, from[cell], from[cell + 1]);
        });
    else
        count_in_cells([from = single.data()](int cell, value x) { return from[cell].not_above(x); });
}

}  // namespace

void bincount_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const std::int64_t bins = call.results[0].shape[0], count = call.operands[0].elements();
    detail::with_dtype(call.operands[0].type, [&]<dtype D>() {
        if constexpr (is_integer(D)) {
            const auto* const elements = static_cast<const element_t<D>*>(operands[0]);
            count_bins(static_cast<std::int64_t*>(results[0]), bins, count, [=](std::int64_t i) {
                const auto x = static_cast<std::uint64_t>(elements[i]);  // what is negative is behind all bins
                return x < static_cast<std::uint64_t>(bins) ? static_cast<std::int64_t>(x) : std::int64_t{-1};
            });
        }
    });
}

void histogram_on_host(const call_site& call, const void* const* operands, void* const* results) {
    detail::with_dtype(call.operands[0].type, [&]<dtype D>() {
        if constexpr (!is_complex(D)) {
            using T = element_t<D>;
            count_between(static_cast<std::int64_t*>(results[0]), call.results[0].shape[0],
                          static_cast<const T*>(operands[0]), call.operands[0].elements(),
                          static_cast<const T*>(operands[1]));
        }
    });
}

}  // namespace sinter::codegen
