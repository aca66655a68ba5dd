// The cut of a graph in which values are told apart that a type cannot tell apart: equal nodes are one, so what several
// readers need is seen to be one value. The rule's cut of this graph is changed as long as that helps: one more value
// is stored before its readers, where that takes no more launches than the type tells of, and less time. Two measures
// of time decide, one after the other: an estimate from the arrays alone, which is cheap, and the compiler's prediction
// for the schedules that the kernels would have, which is asked only of cuts whose estimate promises to be less.
#include <codegen/transforms/cut_moves.hpp>
#include <codegen/transforms/flatten.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

/// At most so many values are tried at once, and of large graphs fewer: planning takes time, too.
constexpr std::size_t max_candidates = 16, max_nodes_tried = 1000;

/// Of cuts by assignments, how many are improved, and how much slower than the best one they may be at first.
constexpr std::size_t max_improved = 8;
constexpr double promising = 1.5;

/// What rounding of a sum of times can be taken for.
constexpr double noticeable = 1 - 1e-9;

struct attempt {
    kernel_cut cut;
    double estimate = 0;
    double seconds = 0;  ///< predicted, where predictions decide; the estimate otherwise

    std::size_t launches() const { return cut.kernels.size(); }
    /// Where two are predicted to take as long, as small ones often are, the estimate knows which moves fewer bytes.
    bool is_better_than(const attempt& other) const {
        if (seconds < other.seconds * noticeable) return true;
        return seconds * noticeable <= other.seconds && estimate < other.estimate * noticeable;
    }
};

attempt attempt_on(graph whole, weight by = weight::elements) {
    const flat_program flat(whole);
    attempt a;
    a.cut.kernels = kernels_of(flat.view(), flat.integers.data(), whole, by, fusion::on);
    a.estimate = a.seconds = estimated_seconds(whole, a.cut.kernels);
    a.cut.whole = std::move(whole);
    return a;
}

/// A prediction of the seconds that a cut takes: infinite for one of too many launches.
using predicted_seconds = std::function<double(const kernel_cut&)>;

/// How many kernels store single elements alone: these may become a part of others (codegen/schedule/merge.cpp).
std::size_t whole_reductions(const kernel_cut& cut) {
    const auto is_element = [&](const graph_root& r) {
        const graph_node& n = cut.whole.nodes[r.node];
        return size_of_shape(n.shape, n.rank) == 1;
    };
    return static_cast<std::size_t>(
        std::count_if(cut.kernels.begin(), cut.kernels.end(),
                      [&](const kernel_roots& roots) { return std::all_of(roots.begin(), roots.end(), is_element); }));
}

/// The best cut that is found from one by storing one more value, as long as that takes less time and no more launches
/// than `max_launches`, or than the cut that it is compared with. With `cost` times are predictions. Then values are
/// stored by kernels of their own, too: the estimate takes it for free that a kernel stores several results, and for it
/// blocks may have to wait for each other.
attempt improved(attempt best, std::size_t max_launches, const predicted_seconds& cost) {
    for (std::size_t tried = 0;;) {
        std::optional<attempt> better;
        for (const int node : worth_storing(best.cut, max_candidates))
            for (const bool alone : {false, true}) {
                if (alone && !cost) continue;
                tried += best.cut.whole.nodes.size();
                if (tried > max_nodes_tried) break;
                attempt next = attempt_on(with_store(best.cut.whole, node, alone));
                const attempt& other = better ? *better : best;
                const std::size_t folded = cost ? whole_reductions(next.cut) : 0;
                const double promised = next.estimate - static_cast<double>(folded) * seconds_a_launch;
                if (next.launches() - folded > std::max(max_launches, other.launches()) || promised > other.seconds)
                    continue;
                if (cost) next.seconds = cost(next.cut);
                if (next.is_better_than(other)) better = std::move(next);
            }
        if (!better) return best;
        best = std::move(*better);
    }
}

/// A program's graph, and what decides the axes where it is cut.
struct form {
    graph whole;
    weight by;
};

/// The best cut of those that two statements have, of which the first assigns one value, where it is better than the
/// one given. The statements share nothing but that value; the most promising are improved as the others are. They are
/// cut with equal values as one node, and with each mention of a value as a node of its own, as the rule does: a kernel
/// can compute what it alone reads, so that neither is always better.
attempt improved_by_assigning(attempt best, const graph& whole, std::size_t max_launches,
                              const predicted_seconds& cost) {
    std::vector<form> forms{{with_distinct_nodes(whole), weight::elements}, {whole, weight::ranks}};
    alias(forms.back().whole);
    if (forms.back().whole.nodes.size() == forms.front().whole.nodes.size()) forms.pop_back();
    std::vector<attempt> all;
    std::size_t tried = 0;
    for (const form& f : forms) {
        if (2 * f.whole.nodes.size() > max_nodes_tried) continue;  // what both statements need is there twice
        for (const int node : worth_assigning(f.whole, max_candidates)) {
            tried += f.whole.nodes.size();
            if (tried > max_nodes_tried) break;
            attempt next = attempt_on(with_assigned(f.whole, node), f.by);
            const std::size_t folded = whole_reductions(next.cut);
            if (next.launches() - folded > std::max(max_launches, best.launches())) continue;
            if (next.estimate - static_cast<double>(folded) * seconds_a_launch > best.seconds * promising) continue;
            next.seconds = cost(next.cut);
            all.push_back(std::move(next));
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const attempt& a, const attempt& b) { return a.seconds < b.seconds; });
    if (all.size() > max_improved) all.resize(max_improved);
    for (attempt& a : all) {
        a = improved(std::move(a), max_launches, cost);
        if (a.is_better_than(best)) best = std::move(a);
    }
    return best;
}

/// The cut with the least estimate that is found, of those with no more launches than the rule's, which has several.
kernel_cut least_estimate(kernel_cut of_rule) {
    const std::size_t max_launches = of_rule.kernels.size();
    graph aliased = of_rule.whole;
    alias(aliased);
    const double seconds_of_rule = estimated_seconds(aliased, of_rule.kernels);
    attempt best = attempt_on(with_distinct_nodes(of_rule.whole));
    if (best.launches() > max_launches) best = attempt_on(std::move(best.cut.whole), weight::ranks);
    best = improved(std::move(best), max_launches, {});
    const bool worse = best.launches() > max_launches || best.seconds > seconds_of_rule;
    return worse ? std::move(of_rule) : std::move(best.cut);
}

}  // namespace

kernel_cut choose_cut(const ir::program& program, const std::int64_t* integers, const graph& whole, fusion mode,
                      const cut_cost& cost) {
    kernel_cut of_rule{whole, kernels_of(program, integers, whole, weight::ranks, mode)};
    const std::size_t launches = of_rule.kernels.size();
    if (mode == fusion::off || launches == 1) return of_rule;
    kernel_cut least = least_estimate(std::move(of_rule));
    if (!cost) return least;
    const predicted_seconds priced = [&](const kernel_cut& cut) {
        const cut_prediction p = cost(cut);
        return p.launches > launches ? std::numeric_limits<double>::infinity() : p.seconds;
    };
    attempt best{std::move(least)};
    best.estimate = estimated_seconds(best.cut.whole, best.cut.kernels);
    best.seconds = priced(best.cut);
    best = improved(std::move(best), launches, priced);
    return improved_by_assigning(std::move(best), whole, launches, priced).cut;
}

}  // namespace sinter::codegen
