// What else a schedule might sensibly be: of rows and columns what the cost model ranks first, of the others a step to
// either side of each number that the heuristics choose.
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/points.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sinter::codegen {

namespace {

/// Beside the chosen one. Of kernels that the model was not fitted to, the best of them is on average within 1 % of the
/// best of all points.
constexpr std::size_t max_variants = 6;

/// A single element has nothing that could be unrolled or divided.
void vary_elementwise(const loop_nest& k, const schedule& s, std::vector<schedule>& all) {
    if (k.outer.empty()) return;
    for (const int unroll : {s.unroll * 2, s.unroll / 2})
        if (unroll >= 1 && unroll <= 8) (all.emplace_back(s).unroll = unroll);
    for (const int block : {128, 512}) all.emplace_back(s).block_threads = block;
}

/// Those of all points that the cost model holds for the cheapest.
void add_cheapest(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment,
                  std::vector<schedule>& all) {
    const std::vector<schedule> points = schedule_points(k, m, alignment);
    const kernel_work does = work_of(k);
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t p = 1; p < points.size(); ++p)  // the first is the chosen one
        ranked.emplace_back(predicted_seconds(work_of(k, does, points[p], m), m), p);
    std::sort(ranked.begin(), ranked.end());
    ranked.resize(std::min(ranked.size(), max_variants));
    for (const auto& [seconds, p] : ranked) all.push_back(points[p]);
}

}  // namespace

std::vector<schedule> schedule_variants(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    std::vector<schedule> all{choose_schedule(k, m, alignment)};
    const schedule s = all[0];
    // the number of blocks follows from what is resident, from the row or from the tiles of a scan: nothing is free
    if (s.grid_barrier || s.cluster > 1 || s.folding_blocks > 0 || has_scans(k)) return all;
    switch (s.form) {
        case schedule_form::elementwise: vary_elementwise(k, s, all); break;
        case schedule_form::tiled:
        case schedule_form::channels:
        case schedule_form::stencil: all.push_back(schedule_elementwise(k, m, alignment)); break;
        case schedule_form::windows:
        case schedule_form::rows:
        case schedule_form::columns: add_cheapest(k, m, alignment, all); break;
        case schedule_form::contraction:
        case schedule_form::tensor: break;
    }
    return all;
}

}  // namespace sinter::codegen
