// Finds the largest ranges that a member can compute from its own elements, by bisection.
//
// The elements that a view reads do not grow monotonically with the requested range (consider roll or flip), so there
// is no closed formula. Ranges that lack elements are halved, the longest first, up to a limit. What remains must wait
// for other members, which costs time but not correctness.
#include <runtime/distributed/divide.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {
namespace {

/// Twice as many as needed to find two boundaries of an axis of 2^40 elements.
constexpr int max_halvings = 120;

std::int64_t total(const std::map<int, std::vector<interval>>& missing) {
    std::int64_t sum = 0;
    for (const auto& [leaf, ranges] : missing)
        for (const interval& r : ranges) sum += r.size();
    return sum;
}

class range_divider {
public:
    range_divider(const split_graph& g, int member, const std::vector<wanted_range>& wanted)
        : g_(g), member_(member), wanted_(wanted) {}

    std::vector<piece_range> run() {
        std::vector<candidate> all{make(wanted_.front().range)};
        for (int i = 0; i < max_halvings; ++i) {
            const auto longest = std::max_element(all.begin(), all.end(), [](const auto& x, const auto& y) {
                return (x.missing.empty() ? 0 : x.range.size()) < (y.missing.empty() ? 0 : y.range.size());
            });
            if (longest->missing.empty() || longest->range.size() < 2) break;
            const interval range = longest->range;
            const std::int64_t middle = range.begin + range.size() / 2;
            *longest = make({range.begin, middle});
            all.push_back(make({middle, range.end}));
        }
        return joined(std::move(all));
    }

private:
    struct candidate {
        interval range;
        std::map<int, std::vector<interval>> missing;
    };

    std::vector<wanted_range> over(const interval& range) const {
        std::vector<wanted_range> part = wanted_;
        for (wanted_range& w : part) w.range = range;
        return part;
    }
    candidate make(const interval& range) const { return {range, missing_ranges(g_, member_, over(range))}; }

    /// Merges neighbours if that requires no more elements of other members.
    std::vector<piece_range> joined(std::vector<candidate> all) const {
        std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.range < y.range; });
        std::vector<candidate> joined;
        for (candidate& c : all) {
            if (!joined.empty() && joined.back().missing.empty() == c.missing.empty()) {
                candidate both = make(hull(joined.back().range, c.range));
                if (total(both.missing) <= total(joined.back().missing) + total(c.missing)) {
                    joined.back() = std::move(both);
                    continue;
                }
            }
            joined.push_back(std::move(c));
        }
        const auto lacks_nothing = [](const candidate& c) { return c.missing.empty(); };
        if (std::none_of(joined.begin(), joined.end(), lacks_nothing)) joined = {make(wanted_.front().range)};
        std::stable_partition(joined.begin(), joined.end(), lacks_nothing);
        std::vector<piece_range> pieces;
        for (candidate& c : joined) pieces.push_back({over(c.range), std::move(c.missing), 0, 0});
        return pieces;
    }

    const split_graph& g_;
    const int member_;
    const std::vector<wanted_range>& wanted_;
};

/// Whether all wanted nodes have the same range along split axes of the same extent.
bool is_divisible(const split_graph& g, const std::vector<wanted_range>& wanted) {
    return same_extents(g, wanted) && std::all_of(wanted.begin(), wanted.end(), [&](const wanted_range& w) {
               return w.range == wanted.front().range;
           });
}

}  // namespace

std::vector<piece_range> divided_ranges(const split_graph& g, int member, const std::vector<wanted_range>& wanted,
                                        bool may_divide) {
    auto missing = missing_ranges(g, member, wanted);
    if (missing.empty() || !may_divide || !is_divisible(g, wanted)) {
        std::vector<piece_range> one;
        one.push_back({wanted, std::move(missing), 0, 0});
        return one;
    }
    return range_divider(g, member, wanted).run();
}

}  // namespace sinter::codegen
