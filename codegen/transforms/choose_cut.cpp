// Chooses how a graph is cut into kernels. It starts from the rule's cut of the graph with equal nodes merged (a type
// cannot show that nodes are equal, so this can reveal values with several readers), then hill-climbs: it stores one
// more value in memory as long as that takes less time and no more launches than the rule's cut. Time is first
// estimated from the arrays alone, which is cheap. Cuts with a promising estimate are then compared by the compiler's
// prediction for the schedules that the kernels would get. Further launches than the rule's are tried only where the
// prediction is far above what the bytes take: a kernel that leaves most of the device idle, or that computes
// again and again what others read at other places, may be slower than several that do not.
#include <codegen/transforms/cut_moves.hpp>
#include <codegen/transforms/flatten.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

/// Bounds the planning time: values tried per step, and total nodes of the graphs tried.
constexpr std::size_t max_candidates = 16, max_nodes_tried = 1000;

/// Of the cuts that store one more value, how many are predicted: those with the least estimates.
constexpr std::size_t max_predicted = 8;

/// Of the cuts by assignment, how many are improved further, and how many times slower than the best known they may
/// start, by the estimate and by the prediction.
constexpr std::size_t max_improved = 8;
constexpr double promising = 1.5, promising_start = 1.35;

/// How many times longer than its bytes a cut may take with its schedules before further launches are tried, how many
/// these may be, and what part of the time is to remain: predictions are not exact, and each value that is stored takes
/// memory.
constexpr double times_least = 2, worth_launching = 0.7;
constexpr std::size_t max_further_launches = 4;

/// Relative tolerance for rounding errors in a sum of times.
constexpr double noticeable = 1 - 1e-9;

struct attempt {
    kernel_cut cut;
    cut_estimate estimate{};
    double seconds = 0;  ///< predicted, if predictions are used; the estimate otherwise
    double bytes = 0;    ///< predicted, if predictions are used

    std::size_t launches() const { return cut.kernels.size(); }
    /// The least launches and seconds that the estimate promises: some kernels may be fused into others.
    std::size_t least_launches() const { return launches() - estimate.fusible; }
    double least_seconds() const { return estimate.seconds - estimate.saved; }
    /// Equal predictions, common for small kernels, are ordered by the bytes, then by the estimate.
    bool is_better_than(const attempt& other) const {
        if (seconds < other.seconds * noticeable) return true;
        if (seconds * noticeable > other.seconds) return false;
        if (bytes < other.bytes * noticeable) return true;
        return bytes * noticeable <= other.bytes && estimate.seconds < other.estimate.seconds * noticeable;
    }
};

attempt attempt_on(graph whole, weight by = weight::elements) {
    const flat_program flat(whole);
    attempt a;
    a.cut.kernels = kernels_of(flat.view(), flat.integers.data(), whole, by, fusion::on);
    a.estimate = estimate_of(whole, a.cut.kernels);
    a.seconds = a.estimate.seconds;
    a.cut.whole = std::move(whole);
    return a;
}

/// Replaces an attempt's estimates by predictions; infinite seconds if it has too many launches, or takes so long that
/// `max_seconds` are noticeably less.
using predictor = std::function<void(attempt&, double max_seconds)>;

/// Whether a kernel stores this node and nothing else.
bool stores_alone(const kernel_cut& cut, int node) {
    return std::any_of(cut.kernels.begin(), cut.kernels.end(), [node](const kernel_roots& roots) {
        return roots.size() == 1 && roots[0].node == node && roots[0].is_read();
    });
}

/// A cut, and the least time that its estimate promises.
struct promise {
    attempt next;
    double seconds = 0;
};

/// The cuts that store one value more, those that promise the most first. With `predicts`, storing a value by a kernel
/// of its own is tried as well: the estimate assumes that storing several results in one kernel is free, but its blocks
/// may have to wait for each other. `tried`: nodes of all graphs that a search has tried.
std::vector<promise> promising_steps(const attempt& best, std::size_t max_launches, bool predicts, std::size_t& tried) {
    std::vector<promise> all;
    for (const int node : worth_storing(best.cut, max_candidates)) {
        bool is_alone = false;  // with other values allowed beside it: then both cuts are the same
        for (const bool alone : {false, true}) {
            if (alone && !predicts) continue;
            tried += best.cut.whole.nodes.size();
            if (tried > max_nodes_tried) break;
            if (is_alone) continue;
            attempt next = attempt_on(with_store(best.cut.whole, node, alone));
            is_alone = stores_alone(next.cut, node + 1);  // the store follows the node
            const double seconds = predicts ? next.least_seconds() : next.estimate.seconds;
            const std::size_t launches = predicts ? next.least_launches() : next.launches();
            if (launches > std::max(max_launches, best.launches()) || seconds > best.seconds) continue;
            all.push_back({std::move(next), seconds});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const promise& a, const promise& b) { return a.seconds < b.seconds; });
    return all;
}

/// Hill-climbs from a cut: stores one more value at a time, as long as that takes less time and launches at most
/// max(`max_launches`, those of the cut it is compared with). With `cost`, times are predictions.
attempt improved(attempt best, std::size_t max_launches, const predictor& cost) {
    for (std::size_t tried = 0;;) {
        std::optional<attempt> better;
        std::size_t predicted = 0;
        for (promise& p : promising_steps(best, max_launches, static_cast<bool>(cost), tried)) {
            const attempt& other = better ? *better : best;
            if (p.seconds > other.seconds || (cost && predicted == max_predicted)) break;
            ++predicted;
            if (cost) cost(p.next, other.seconds);
            if (p.next.is_better_than(other)) better = std::move(p.next);
        }
        if (!better) return best;
        best = std::move(*better);
    }
}

/// The graph with several values stored, each by a kernel of its own.
graph with_stores(graph g, std::vector<int> nodes) {
    std::sort(nodes.begin(), nodes.end(), std::greater<>());  // a store moves the nodes behind it
    for (const int node : nodes) g = with_store(g, node, true);
    return g;
}

/// Sets of values that may be worth further launches: each one, and all of them.
std::vector<std::vector<int>> sets_worth_launches(const kernel_cut& cut) {
    const std::vector<int> all = worth_a_launch(cut, max_candidates);
    std::vector<std::vector<int>> sets;
    for (const int node : all) sets.push_back({node});
    if (all.size() > 1) sets.push_back(all);
    return sets;
}

/// Stores values by kernels of their own as long as that saves much time.
kernel_cut with_further_launches(kernel_cut best, const cut_cost& cost) {
    cut_prediction of_best = cost(best, predicted_time::scheduled, {});
    // where a call computes what a kernel would, its functions may count as less than nothing
    if (of_best.least_seconds <= 0 || of_best.seconds <= times_least * of_best.least_seconds) return best;
    const std::size_t max_launches = of_best.launches + max_further_launches;
    kernel_cut merged = attempt_on(with_distinct_nodes(best.whole)).cut;
    for (std::size_t tried = 0;;) {
        std::optional<kernel_cut> better;
        cut_limit limit{max_launches, worth_launching * of_best.seconds};
        for (const std::vector<int>& nodes : sets_worth_launches(merged)) {
            tried += merged.whole.nodes.size();
            if (tried > max_nodes_tried) break;
            attempt next = attempt_on(with_stores(merged.whole, nodes));
            const cut_prediction p = cost(next.cut, predicted_time::scheduled, limit);
            if (limit.is_exceeded_by(p) || p.seconds == limit.seconds) continue;
            limit.seconds = p.seconds;
            better = std::move(next.cut);
            of_best = p;
        }
        if (!better) return best;
        best = merged = std::move(*better);
    }
}

/// A program's graph, and the weight that decides which axes its kernels get.
struct form {
    graph whole;
    weight by;
};

/// Keeps a few cuts, the best one first. Of cuts with the same prediction, which mostly are one cut of several forms or
/// store one of several values that are alike, it keeps the first.
void keep_most_promising(std::vector<attempt>& all) {
    std::stable_sort(all.begin(), all.end(), [](const attempt& a, const attempt& b) { return a.seconds < b.seconds; });
    const auto are_alike = [](const attempt& a, const attempt& b) {
        return a.seconds == b.seconds && a.bytes == b.bytes && a.launches() == b.launches();
    };
    all.erase(std::unique(all.begin(), all.end(), are_alike), all.end());
    if (all.size() > max_improved) all.resize(max_improved);
}

/// The best of `best` and the cuts that two statements would have, of which the first assigns one value to an array.
/// The statements share only that value; the most promising cuts are improved like the others. Each is tried with equal
/// values merged and unmerged (as the rule has them): a kernel can recompute what only it reads, so neither is always
/// better.
attempt improved_by_assigning(attempt best, const graph& whole, std::size_t max_launches, const predictor& cost) {
    std::vector<form> forms{{with_distinct_nodes(whole), weight::elements}, {whole, weight::ranks}};
    unify_inputs(forms.back().whole);
    if (forms.back().whole.nodes.size() == forms.front().whole.nodes.size()) forms.pop_back();
    std::vector<attempt> all;
    double least = best.seconds;
    std::size_t tried = 0;
    for (const form& f : forms) {
        if (2 * f.whole.nodes.size() > max_nodes_tried) continue;  // values used by both statements are duplicated
        for (const int node : worth_assigning(f.whole, max_candidates)) {
            tried += f.whole.nodes.size();
            if (tried > max_nodes_tried) break;
            attempt next = attempt_on(with_assigned(f.whole, node), f.by);
            if (next.least_launches() > std::max(max_launches, best.launches())) continue;
            if (next.least_seconds() > best.seconds * promising) continue;
            cost(next, least * promising_start);
            least = std::min(least, next.seconds);
            all.push_back(std::move(next));
        }
    }
    keep_most_promising(all);
    for (attempt& a : all) {
        if (a.seconds > least * promising_start) break;
        a = improved(std::move(a), max_launches, cost);
        if (a.is_better_than(best)) best = std::move(a);
    }
    return best;
}

/// The cut with the smallest estimate among those with at most as many launches as the rule's cut, which has several.
kernel_cut least_estimate(kernel_cut of_rule) {
    const std::size_t max_launches = of_rule.kernels.size();
    graph aliased = of_rule.whole;
    unify_inputs(aliased);
    const double seconds_of_rule = estimate_of(aliased, of_rule.kernels).seconds;
    attempt best = attempt_on(with_distinct_nodes(of_rule.whole));
    if (best.launches() > max_launches) best = attempt_on(std::move(best.cut.whole), weight::ranks);
    best = improved(std::move(best), max_launches, {});
    const bool worse = best.launches() > max_launches || best.seconds > seconds_of_rule;
    return worse ? std::move(of_rule) : std::move(best.cut);
}

/// The best cut that is found from one by storing further values, with at most so many launches.
attempt searched(attempt from, const graph& whole, std::size_t launches, const predictor& cost) {
    from.estimate = estimate_of(from.cut.whole, from.cut.kernels);
    cost(from, std::numeric_limits<double>::infinity());
    from = improved(std::move(from), launches, cost);
    return improved_by_assigning(std::move(from), whole, launches, cost);
}

predictor times_of(predicted_time kind, const cut_cost& cost, std::size_t launches) {
    return [&cost, kind, launches](attempt& a, double max_seconds) {
        const cut_limit limit{launches, max_seconds / noticeable};
        const cut_prediction p = cost(a.cut, kind, limit);
        a.seconds = limit.is_exceeded_by(p) ? std::numeric_limits<double>::infinity() : p.seconds;
        a.bytes = p.bytes;
    };
}

}  // namespace

kernel_cut choose_cut(const ir::program& program, const std::int64_t* integers, const graph& whole, fusion mode,
                      const cut_cost& cost) {
    kernel_cut of_rule{whole, kernels_of(program, integers, whole, weight::ranks, mode)};
    if (mode == fusion::off) return of_rule;
    const std::size_t launches = of_rule.kernels.size();
    kernel_cut least = launches == 1 ? std::move(of_rule) : least_estimate(std::move(of_rule));
    if (!cost) return least;
    attempt best{std::move(least)};
    if (launches > 1)
        best = searched(std::move(best), whole, launches, times_of(predicted_time::plain, cost, launches));
    kernel_cut further = with_further_launches(best.cut, cost);
    if (further.kernels.size() <= best.launches()) return std::move(best.cut);
    const std::size_t most = further.kernels.size();
    return searched({std::move(further)}, whole, most, times_of(predicted_time::scheduled, cost, most)).cut;
}

}  // namespace sinter::codegen
