// Loops after fusion: expansions that are not read any more, and bodies that run on several blocks at once.
#include <codegen/host/fused_bodies.hpp>

#include <algorithm>

namespace sinter::codegen::blocked {

void drop_expansions(plan& p) {
    for (loop_plan& l : p.loops) {
        const auto reads = [&l](int id) {
            for (const step& s : l.body.steps)
                if (std::find(s.in.begin(), s.in.end(), id) != s.in.end()) return true;
            for (const fold_step& f : l.folds)
                if (f.in == id) return true;
            return std::any_of(l.body.stores.begin(), l.body.stores.end(),
                               [id](const store_step& s) { return s.value == id; });
        };
        std::erase_if(l.expansions, [&](const expansion& e) { return !reads(e.to); });
    }
}

void run_leaves_at_once(const plan& p, loop_plan& l) {
    const section& body = l.body;
    if (!l.columns || l.backwards || !l.scans.empty() || !l.kept.empty() || body.steps.size() != 1 ||
        body.steps[0].fused < 0 || !body.stores.empty())
        return;
    const fused_loop& one = p.fused[static_cast<std::size_t>(body.steps[0].fused)];
    const auto is_of_block = [&p](int id) { return p.slots[static_cast<std::size_t>(id)].where == pool::loop; };
    if (!one.results.empty() || std::any_of(one.operands.begin(), one.operands.end(), is_of_block)) return;
    if (!std::all_of(l.folds.begin(), l.folds.end(), [](const fold_step& f) { return f.fused; })) return;
    l.body_at_once = true;
    l.blocks_at_once = l.leaf_blocks;
}

}  // namespace sinter::codegen::blocked
