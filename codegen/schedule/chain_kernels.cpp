// Three kernels to one: the scores, their softmax and the product with it. What the first two store is as large as the
// scores are; the one kernel stores none of it. It also stores what the softmax does once per row, for other kernels.
#include <codegen/schedule/online.hpp>

#include <codegen/ir/verify.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/softmax_loops.hpp>
#include <codegen/transforms/chain.hpp>
#include <codegen/transforms/pass.hpp>

#include <array>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

class chaining {
public:
    chaining(std::vector<loop_nest>& all, int leaf_count, const device_properties& on)
        : kernels(all), leaves(leaf_count), m(on) {}

    /// Whether it has made one of three.
    bool run() {
        for (int last = 0; last < count(); ++last) {
            if (!split_factors_of(at(last))) continue;
            for (int middle = 0; middle < last; ++middle) {
                if (at(middle).loops.size() < 2 || last_output(middle) < 0) continue;
                if (only_reader(kernels, leaf_of(middle, last_output(middle))) != last) continue;
                for (int first = 0; first < middle; ++first)
                    if (reader_of(first) == middle && split_factors_of(at(first)) && join(first, middle, last))
                        return true;
            }
        }
        return false;
    }

private:
    int count() const { return static_cast<int>(kernels.size()); }
    const loop_nest& at(int k) const { return kernels[static_cast<std::size_t>(k)]; }
    int leaf_of(int k, int output) const {
        return stored_leaves(kernels, leaves)[static_cast<std::size_t>(k)][static_cast<std::size_t>(output)];
    }
    /// The only kernel that reads what another one stores for it alone; -1 where there is none.
    int reader_of(int k) const {
        return at(k).outputs.size() == 1 && at(k).results.empty() ? only_reader(kernels, leaf_of(k, 0)) : -1;
    }
    /// The output of the last loop, if it is for later kernels alone; -1 where there is none.
    int last_output(int k) const {
        for (const kernel_store& s : at(k).stores)
            if (s.loop + 1 == static_cast<int>(at(k).loops.size()))
                return at(k).results.empty() || at(k).results[static_cast<std::size_t>(s.output)] < 0 ? s.output : -1;
        return -1;
    }

    bool join(int first, int middle, int last) {
        const loop_nest softmax = with_stores_apart(with_exponentials_below_maxima(at(middle)));
        const std::optional<loop_nest> nested = nest(at(first), softmax, leaf_of(first, 0));
        const int output = last_output(middle);
        const chained_arrays stored = arrays_of(middle, last, output);
        std::optional<loop_nest> chained = nested ? chain(*nested, at(last), stored) : std::nullopt;
        if (!chained) return false;
        verify(*chained, "chain");
        const std::optional<schedule> s = schedule_online(*chained, m, aligned(*chained));
        const int place = place_of(middle, last);
        if (!s || place < 0) return false;
        const double between = aligned_seconds(at(middle), m);
        const double apart = product_seconds(at(first), m) + between + product_seconds(at(last), m);
        if (online_seconds(*chained, *s, m) >= apart) return false;
        replace({first, middle, last}, stored, place, std::move(*chained));
        return true;
    }

    /// What the middle kernel stores, and which of it is needed beside the one kernel.
    chained_arrays arrays_of(int middle, int last, int output) const {
        chained_arrays made{stored_leaves(kernels, leaves)[static_cast<std::size_t>(middle)], output, {}};
        for (std::size_t o = 0; o < made.leaves.size(); ++o) {
            bool kept = !at(middle).results.empty() && at(middle).results[o] >= 0;
            for (int k = 0; k < count(); ++k) kept = kept || (k != last && reads(at(k), made.leaves[o]));
            made.kept.push_back(kept);
        }
        return made;
    }

    /// Where the one kernel may stand: in the last one's place, or, if others read before what it stores for them, in
    /// the middle one's, if it reads nothing that is stored later. -1 where neither is possible.
    int place_of(int middle, int last) const {
        const std::vector<std::vector<int>> stored = stored_leaves(kernels, leaves);
        bool later = true, sooner = true;
        for (int k = middle + 1; k < last; ++k) {
            later = later && !reads_any(at(k), stored[static_cast<std::size_t>(middle)]);
            sooner = sooner && !reads_any(at(last), stored[static_cast<std::size_t>(k)]);
        }
        return later ? last : sooner ? middle : -1;
    }

    void replace(const std::array<int, 3>& three, const chained_arrays& stored, int place, loop_nest chained) {
        std::vector<std::vector<int>> before = stored_leaves(kernels, leaves);
        std::vector<int> of_chained = before[static_cast<std::size_t>(three[2])];
        for (const kernel_store& s : at(three[1]).stores)
            if (s.output != stored.output && stored.kept[static_cast<std::size_t>(s.output)] != 0)
                of_chained.push_back(before[static_cast<std::size_t>(three[1])][static_cast<std::size_t>(s.output)]);
        kernels[static_cast<std::size_t>(place)] = std::move(chained);
        before[static_cast<std::size_t>(place)] = std::move(of_chained);
        for (auto k = three.rbegin(); k != three.rend(); ++k) {
            if (*k == place) continue;
            kernels.erase(kernels.begin() + *k);
            before.erase(before.begin() + *k);
        }
        renumber_leaves(kernels, leaves, before);
    }

    std::vector<loop_nest>& kernels;
    const int leaves;
    const device_properties& m;
};

}  // namespace

void chain_kernels(std::vector<loop_nest>& kernels, int leaves, const device_properties& m) {
    while (chaining(kernels, leaves, m).run()) {
    }
}

}  // namespace sinter::codegen
