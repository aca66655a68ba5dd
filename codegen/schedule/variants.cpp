// What else a schedule might sensibly be: a step to either side of each number that the heuristics choose.
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr int largest_block = 1024;

void vary_elementwise(const schedule& s, std::vector<schedule>& all) {
    for (const int unroll : {s.unroll * 2, s.unroll / 2})
        if (unroll >= 1 && unroll <= 8) (all.emplace_back(s).unroll = unroll);
    for (const int block : {128, 512}) all.emplace_back(s).block = block;
}

/// Rows of one block: more threads for each, or fewer.
void vary_rows(const kernel& k, const schedule& s, std::vector<schedule>& all) {
    if (s.split > 1) return;
    for (const int group : {s.group * 2, s.group / 2}) {
        schedule v = s;
        v.group = group;
        if (s.resident) v.unroll = s.unroll * s.group / std::max(group, 1);  // the same elements in other threads
        v.block = k.outer.empty() ? group : std::max(group, 128);
        if (group >= (k.outer.empty() ? 32 : 1) && v.block <= largest_block && v.unroll >= 1) all.push_back(v);
    }
    if (!s.resident && s.unroll > 1) all.emplace_back(s).unroll = s.unroll / 2;
}

void vary_columns(const schedule& s, std::vector<schedule>& all) {
    if (s.unroll > 1) all.emplace_back(s).unroll = s.unroll / 2;
    if (s.group > 1) {
        schedule& v = all.emplace_back(s);
        v.group = s.group / 2;
        v.block = s.block / 2;
        if (v.block < 32) all.pop_back();
    }
    if (2 * s.block <= 512) {
        schedule& v = all.emplace_back(s);
        v.group = s.group * 2;
        v.block = s.block * 2;
    }
}

}  // namespace

std::vector<schedule> schedule_variants(const kernel& k, const machine& m, const std::vector<int>& alignment) {
    std::vector<schedule> all{choose_schedule(k, m, alignment)};
    const schedule s = all[0];
    // the number of blocks follows from what is resident, from the row or from the tiles of a scan: nothing is free
    if (s.grid_barrier || s.cluster > 1 || s.folding_blocks > 0 || has_scans(k)) return all;
    switch (s.form) {
        case schedule_form::elementwise: vary_elementwise(s, all); break;
        case schedule_form::tiled:
        case schedule_form::stencil: all.push_back(schedule_elementwise(k, m, alignment)); break;
        case schedule_form::rows: vary_rows(k, s, all); break;
        case schedule_form::columns: vary_columns(s, all); break;
        case schedule_form::product: break;
    }
    if (s.split > 1)
        for (const int split : {s.split * 2, s.split / 2})
            if (split > 1) all.emplace_back(s).split = split;
    return all;
}

}  // namespace sinter::codegen
