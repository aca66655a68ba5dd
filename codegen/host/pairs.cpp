// Fuses two steps into one if nothing else reads the first one's result: one pass over the block instead of two.
#include <codegen/host/plan.hpp>

#include <algorithm>

namespace sinter::codegen::blocked {
namespace {

/// By slot: how often it is read.
std::vector<int> count_uses(const plan& p) {
    std::vector<int> uses(p.slots.size(), 0);
    const auto use = [&uses](int id) {
        if (id >= 0) ++uses[static_cast<std::size_t>(id)];
    };
    const auto use_section = [&](const section& s) {
        for (const step& st : s.steps)
            for (const int in : st.in) use(in);
        for (const store_step& st : s.stores) use(st.value);
    };
    for (const section& s : p.stages) use_section(s);
    for (const loop_plan& l : p.loops) {
        use_section(l.body);
        for (const expansion& e : l.expansions) use(e.from);
        for (const fold_step& f : l.folds) use(f.in);
        for (const int id : l.kept) use(id);
    }
    return uses;
}

/// Fuses the earlier step that computes operand `o` of `second` into it. Returns whether it did.
bool take_in(section& s, std::size_t second, int o, const std::vector<int>& uses, const plan& p, instruction_set isa) {
    step& b = s.steps[second];
    const auto id = static_cast<std::size_t>(b.in[static_cast<std::size_t>(o)]);
    if (uses[id] != 1 || p.slots[id].kept_at >= 0) return false;
    const auto end = s.steps.begin() + static_cast<std::ptrdiff_t>(second);
    const auto a = std::find_if(s.steps.begin(), end, [id](const step& st) { return st.out == static_cast<int>(id); });
    if (a == end || a->builtin < 0 || p.slots[id].type != p.slots[static_cast<std::size_t>(b.out)].type) return false;
    const detail::map_loop both = pair_loop(a->builtin, b.builtin, p.slots[id].type, o == 1, isa);
    if (both == nullptr) return false;
    b.in = {a->in[0], a->in[1], b.in[static_cast<std::size_t>(1 - o)]};
    b.run = both;
    b.builtin = -1;
    s.steps.erase(a);
    return true;
}

void fuse_section(section& s, const std::vector<int>& uses, const plan& p, instruction_set isa) {
    for (std::size_t t = 0; t < s.steps.size(); ++t) {
        if (s.steps[t].builtin < 0) continue;
        if (take_in(s, t, 0, uses, p, isa) || take_in(s, t, 1, uses, p, isa)) --t;
    }
}

}  // namespace

void fuse_pairs(plan& p, instruction_set isa) {
    const std::vector<int> uses = count_uses(p);
    for (section& s : p.stages) fuse_section(s, uses, p, isa);
    for (loop_plan& l : p.loops) fuse_section(l.body, uses, p, isa);
}

}  // namespace sinter::codegen::blocked
