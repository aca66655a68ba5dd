// Emits the stages of a group.
#include <codegen/lower/stages.hpp>

namespace sinter::codegen::lower {

void lower_stages(lowering& c, group_lowering& group, const stage_walk& walk) {
    group.stage(0);
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
        c.b.blank();
        group.loop(l, walk.range(l), walk.with_tail);
        if (!reductions.empty()) walk.fold(reductions);
        if (walk.partials) {
            const device_ir::id ticket = publish_partials(c, walk.partials(), walk.parts);
            walk.fold(reductions);
            reset_ticket(c, ticket);
        }
        if (walk.synced != nullptr && !reductions.empty()) {
            walk.synced->sync(l);
            walk.fold(reductions);
        }
        group.stage(l + 1);
    }
    group.stores();
    if (walk.synced != nullptr) walk.synced->close();
}

}  // namespace sinter::codegen::lower
