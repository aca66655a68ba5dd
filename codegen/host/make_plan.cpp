// Makes the host's plan for a kernel: one region, or several that run together.
#include <codegen/host/cast_choices.hpp>
#include <codegen/host/fuse.hpp>
#include <codegen/host/hoist.hpp>
#include <codegen/host/plan.hpp>
#include <codegen/host/region_plan.hpp>
#include <codegen/host/regions.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen::blocked {

namespace {

/// Joins the regions' plans. Regions are interleaved in memory, so one task runs the same share of all of them.
plan join_regions(std::vector<plan> regions) {
    plan p;
    std::int64_t work = 0, max_tiles = 0;
    p.scalars = regions.front().scalars;
    for (const plan& r : regions) {
        p.groups += r.groups;
        p.streams = p.streams || r.streams;
        std::int64_t trips = 1;
        for (const loop_plan& l : r.loops) trips += l.trips;
        work += r.groups * trips;
        if (!r.split) max_tiles = std::max(max_tiles, r.tiles);
    }
    p.parts = std::min(divide_up(work, elements_worth_a_task), max_tiles);
    p.regions = std::move(regions);
    return p;
}

plan make_plan(const loop_nest& k, instruction_set isa, std::set<inline_op>* fused) {
    const std::optional<loop_nest> converted = with_cast_choices(k);
    std::vector<region> regions = cut_into_regions(converted ? *converted : k, isa);
    std::vector<plan> plans;
    for (region& r : regions) {
        hoist(r);
        plans.push_back(plan_region(r, isa, fused));
    }
    return plans.size() == 1 ? std::move(plans[0]) : join_regions(std::move(plans));
}

}  // namespace

plan make_plan(const loop_nest& k, instruction_set isa) { return make_plan(k, isa, nullptr); }

std::optional<fused_plan> make_fused_plan(const loop_nest& k, instruction_set isa) {
    std::set<inline_op> ops;
    fused_plan made{make_plan(k, isa, &ops), {}};
    if (function_names(made.body).empty()) return std::nullopt;
    made.source = source_of(made.body, ops);
    return made;
}

}  // namespace sinter::codegen::blocked
