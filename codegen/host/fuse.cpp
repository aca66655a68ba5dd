// Chooses what becomes one loop. All arithmetic that depends only on loads and on itself is fused; then come the
// functions that have loops of their own, and then what can be fused after them. A load is repeated in each loop that
// needs it.
#include <codegen/host/fuse.hpp>

#include <codegen/host/fused_bodies.hpp>
#include <codegen/host/fused_loop_text.hpp>
#include <codegen/rows/divisions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace sinter::codegen::blocked {
namespace {

constexpr std::size_t max_accesses = 24;  // per fused loop
constexpr std::size_t max_steps = 160;

bool reads_memory(const step& s) { return s.load >= 0 || s.index >= 0; }
/// A load or an index without operands.
bool is_leaf(const step& s) { return reads_memory(s) && s.in[0] < 0; }

class section_fuser {
public:
    section_fuser(plan& p, const loop_nest& k, section& s, int loop, bool in_place, std::set<inline_op>& ops)
        : p_(p), k_(k), s_(s), loop_(loop), in_place_(in_place), ops_(ops), made_(p.slots.size(), -1) {
        for (std::size_t t = 0; t < s.steps.size(); ++t) made_[at(s.steps[t].out)] = static_cast<int>(t);
        needed_ = needed_outside();
    }

    void fuse() {
        make_units();
        take_folds();
        const bool one_loop = units_.size() == 1 && pays(units_[0]);
        std::vector<char> fused(units_.size(), 0);
        for (std::size_t u = 0; u < units_.size(); ++u) fused[u] = pays(units_[u]);
        if (std::find(fused.begin(), fused.end(), 1) == fused.end()) return;
        take_stores(fused, one_loop);
        std::vector<step> steps;
        add_plain_leaves(fused, steps);
        for (std::size_t u = 0; u < units_.size(); ++u)
            if (fused[u])
                steps.push_back(fused_step(units_[u]));
            else
                for (const int t : units_[u].steps) steps.push_back(step_at(t));
        s_.steps = std::move(steps);
    }

private:
    /// Steps that become one loop, or one step that cannot be fused.
    struct unit {
        std::vector<int> steps;  ///< positions in the section, leaves excluded
        bool fusable = true;
        std::vector<store_step> stores;
        std::vector<int> folds;
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const step& step_at(int t) const { return s_.steps[at(t)]; }
    dtype type_of_slot(int id) const { return p_.slots[at(id)].type; }

    /// Slots read by anything other than this section's steps and stores.
    std::vector<char> needed_outside() const {
        std::vector<char> needed(p_.slots.size(), 0);
        const auto need = [&](int id) {
            if (id >= 0) needed[at(id)] = 1;
        };
        const auto need_section = [&](const section& s) {
            if (&s == &s_) return;
            for (const step& st : s.steps) {
                for (const int in : st.in) need(in);
                if (st.fused >= 0)
                    for (const int in : p_.fused[at(st.fused)].operands) need(in);
            }
            for (const store_step& st : s.stores) need(st.value);
        };
        for (const section& s : p_.stages) need_section(s);
        for (const loop_plan& l : p_.loops) {
            need_section(l.body);
            for (const fold_step& f : l.folds)
                if (!f.fused) need(f.in);
            for (const expansion& e : l.expansions) need(e.from);
        }
        for (std::size_t id = 0; id < p_.slots.size(); ++id)
            if (p_.slots[id].kept_at >= 0) needed[id] = 1;
        return needed;
    }

    bool is_fusable(const step& s) const {
        if (s.scan >= 0 || !is_inline(type_of_slot(s.out))) return false;
        if (reads_memory(s)) return true;
        if (s.op != nullptr) return is_inline(*s.op, s.computes) && !divides_by_one_number(s);
        return converts_inline(type_of_slot(s.out), type_of_slot(s.in[0]));
    }

    /// Such a division multiplies by the reciprocal, in a loop of its own.
    static bool divides_by_one_number(const step& s) { return s.by_one_number; }

    void make_units() {
        std::vector<char> ready(p_.slots.size(), 0);
        std::vector<int> left;
        for (std::size_t t = 0; t < s_.steps.size(); ++t)
            if (is_leaf(s_.steps[t]))
                ready[at(s_.steps[t].out)] = 1;
            else
                left.push_back(static_cast<int>(t));
        const auto can = [&](int t) {
            return std::all_of(step_at(t).in.begin(), step_at(t).in.end(),
                               [&](int in) { return in < 0 || made_[at(in)] < 0 || ready[at(in)]; });
        };
        while (!left.empty()) {
            unit fusing;
            take(
                left, ready, [&](int t) { return is_fusable(step_at(t)) && can(t) && fits(fusing, t); }, fusing);
            if (!fusing.steps.empty()) units_.push_back(std::move(fusing));
            unit plain;
            take(
                left, ready, [&](int t) { return !is_fusable(step_at(t)) && can(t); }, plain);
            for (const int t : plain.steps) units_.push_back({{t}, false, {}, {}});
        }
    }

    template <class Wanted>
    void take(std::vector<int>& left, std::vector<char>& ready, const Wanted& wanted, unit& to) {
        std::erase_if(left, [&](int t) {
            if (!wanted(t)) return false;
            to.steps.push_back(t);
            ready[at(step_at(t).out)] = 1;
            return true;
        });
    }

    /// Moves folds into the loop that computes their operand. Of long rows and columns that are loaded alone, the
    /// library's folds are as fast. Of rows too short for lanes they are faster: additions one after the other have no
    /// vectors, but what is added has.
    void take_folds() {
        if (loop_ < 0) return;
        loop_plan& l = p_.loops[at(loop_)];
        for (std::size_t f = 0; f < l.folds.size(); ++f) {
            fold_step& fold = l.folds[f];
            const int made = made_[at(fold.in)];
            if (made < 0 || fold.of_parts || fold.extreme != nullptr || !is_inline(*fold.op, fold.type)) continue;
            const bool leaf = is_leaf(step_at(made));
            auto u = std::find_if(units_.begin(), units_.end(), [&](const unit& one) {
                return one.fusable && (leaf || std::find(one.steps.begin(), one.steps.end(), made) != one.steps.end());
            });
            if (u == units_.end() && leaf && is_fusable(step_at(made))) u = units_.insert(units_.begin(), unit{});
            if (u == units_.end()) continue;
            u->folds.push_back(static_cast<int>(f));
            if (!folds_beside(*u, l) || pointers_of(*u) > max_fused_pointers)
                u->folds.pop_back();
            else
                fold.fused = true;
        }
        std::erase_if(units_, [](const unit& u) { return u.steps.empty() && u.folds.empty(); });
        needed_ = needed_outside();
    }

    /// Whether a unit's folds choose elements, as a maximum does: without vectors that takes three times an addition.
    bool chooses(const unit& u, const loop_plan& l) const {
        return std::any_of(u.folds.begin(), u.folds.end(), [&](int f) {
            const op_row& op = *l.folds[at(f)].op;
            return op.rule == dtype_rule::same && !op.has_identity;
        });
    }

    /// Whether a unit's loads of neighbouring groups are so near that compilers load several by vectors.
    bool has_near_groups(const unit& u) const {
        const std::vector<int> leaves = leaves_of(u);
        return std::all_of(leaves.begin(), leaves.end(), [&](int t) {
            if (step_at(t).load < 0) return true;
            const access& a = p_.loads[at(step_at(t).load)];
            const std::int64_t apart =
                a.outer.axes() == 0 ? 0 : std::abs(a.outer.stride()) / static_cast<std::int64_t>(a.element_size);
            return apart <= 4 || apart == 8;
        });
    }

    /// Whether a unit's loop has vectors beside its folds: all folds of what it computes need as many lanes. A value
    /// that it stores for another fold would keep compilers from vectorising it: a choice by a mask would be a branch.
    bool folds_beside(const unit& u, const loop_plan& l) const {
        const std::size_t steps = u.steps.size() + leaves_of(u).size();
        if (has_short_rows(l, steps)) return !chooses(u, l) || has_near_groups(u);
        if (u.steps.empty() || !may_fold(k_, l, loop_, steps)) return false;
        const auto lanes = [](const fold_step& f) { return fold_lanes(f.type); };
        const fold_step& first = l.folds[at(u.folds[0])];
        const auto is_own = [&](int f) {
            const int made = made_[at(l.folds[at(f)].in)];
            return std::find(u.folds.begin(), u.folds.end(), f) != u.folds.end() ||
                   std::find(u.steps.begin(), u.steps.end(), made) != u.steps.end();
        };
        for (int f = 0; f < static_cast<int>(l.folds.size()); ++f) {
            const fold_step& fold = l.folds[at(f)];  // g++ has no vectors of bool
            if (is_own(f) && (fold.type == dtype::bool_ || lanes(fold) != lanes(first))) return false;
        }
        return l.columns || l.trips >= 2 * lanes(first);
    }

    /// The leaves that a unit's steps and folds read.
    std::vector<int> leaves_of(const unit& u) const {
        std::vector<int> leaves;
        for (const int f : u.folds) {
            const int made = made_[at(p_.loops[at(loop_)].folds[at(f)].in)];
            if (is_leaf(step_at(made))) leaves.push_back(made);
        }
        for (const int t : u.steps)
            for (const int in : step_at(t).in)
                if (in >= 0 && made_[at(in)] >= 0 && is_leaf(step_at(made_[at(in)]))) leaves.push_back(made_[at(in)]);
        std::sort(leaves.begin(), leaves.end());
        leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
        return leaves;
    }

    bool fits(const unit& u, int t) const {
        unit with = u;
        with.steps.push_back(t);
        std::size_t accesses = leaves_of(with).size();
        for (const int s : with.steps) accesses += reads_memory(step_at(s)) ? 1 : 0;
        return with.steps.size() <= max_steps && accesses <= max_accesses;
    }

    bool is_dense_run(const access& a) const {
        const auto size = static_cast<std::int64_t>(a.element_size);
        const bool flat = loop_ < 0 || p_.loops[at(loop_)].columns;
        const walk& along = flat ? a.outer : a.inner;
        return along.axes() <= 1 && along.stride() == size;
    }

    /// Upper bound on the parameters of the unit's function.
    std::size_t pointers_of(const unit& u) const {
        std::set<int> read;
        std::size_t pointers = u.folds.size();
        for (const int f : u.folds) read.insert(p_.loops[at(loop_)].folds[at(f)].in);
        for (const int t : u.steps) {
            const step& s = step_at(t);
            read.insert(s.in.begin(), s.in.end());
            pointers += (reads_memory(s) ? 1 : 0) + (is_read(s.out, u) ? 1 : 0);
            pointers += static_cast<std::size_t>(std::count_if(
                s_.stores.begin(), s_.stores.end(), [&](const store_step& st) { return st.value == s.out; }));
        }
        for (const int t : u.steps) read.erase(step_at(t).out);
        return pointers + read.size();
    }

    /// A single operation on dense runs gains nothing: its precompiled loop is as fast.
    bool pays(const unit& u) const {
        if (!u.fusable || pointers_of(u) > max_fused_pointers) return false;
        if (u.steps.size() > 1 || !u.folds.empty()) return true;
        const step& s = step_at(u.steps[0]);
        if (reads_memory(s)) return true;
        for (const int t : leaves_of(u))
            if (step_at(t).index >= 0 || !is_dense_run(p_.loads[at(step_at(t).load)])) return true;
        return std::any_of(s_.stores.begin(), s_.stores.end(),
                           [&](const store_step& st) { return st.value == s.out && !is_dense_run(st.to); });
    }

    /// Moves stores into the loops that compute the stored values. If a result may alias an operand, only when the
    /// section becomes a single loop: nothing else may read what it has overwritten.
    void take_stores(const std::vector<char>& fused, bool one_loop) {
        const auto producer = [&](const store_step& st) -> unit* {
            for (std::size_t u = 0; u < units_.size(); ++u)
                if (fused[u])
                    for (const int t : units_[u].steps)
                        if (step_at(t).out == st.value) return &units_[u];
            return nullptr;
        };
        const auto may_take = [&](const store_step& st) { return !st.streams && producer(st) != nullptr; };
        if (in_place_) {
            const auto outside = [&](const step& s) { return is_leaf(s) && needed_[at(s.out)]; };
            if (!one_loop || !std::all_of(s_.stores.begin(), s_.stores.end(), may_take) ||
                std::any_of(s_.steps.begin(), s_.steps.end(), outside))
                return;
        }
        std::erase_if(s_.stores, [&](const store_step& st) {
            if (!may_take(st)) return false;
            producer(st)->stores.push_back(st);
            return true;
        });
    }

    /// Keeps leaves that something other than a fused loop reads.
    void add_plain_leaves(const std::vector<char>& fused, std::vector<step>& steps) {
        std::vector<char> wanted = needed_;
        for (std::size_t u = 0; u < units_.size(); ++u)
            if (!fused[u])
                for (const int t : units_[u].steps)
                    for (const int in : step_at(t).in)
                        if (in >= 0) wanted[at(in)] = 1;
        for (const store_step& st : s_.stores) wanted[at(st.value)] = 1;
        for (const step& s : s_.steps)
            if (is_leaf(s) && wanted[at(s.out)]) steps.push_back(s);
    }

    /// Whether anything outside the unit reads a slot.
    bool is_read(int id, const unit& u) const {
        if (needed_[at(id)]) return true;
        for (const store_step& st : s_.stores)
            if (st.value == id) return true;
        for (const unit& other : units_)
            if (&other != &u)
                for (const int t : other.steps)
                    for (const int in : step_at(t).in)
                        if (in == id) return true;
        return false;
    }

    step fused_step(const unit& one) {
        fused_steps what;
        what.loop = loop_;
        what.stores = one.stores;
        what.folds = one.folds;
        for (const int t : leaves_of(one)) what.steps.push_back(step_at(t));
        for (const int t : one.steps) {
            what.steps.push_back(step_at(t));
            if (is_read(step_at(t).out, one)) what.results.push_back(step_at(t).out);
        }
        step s;
        s.fused = static_cast<int>(p_.fused.size());
        p_.fused.push_back(print_fused_loop(p_, k_, what, ops_));
        return s;
    }

    plan& p_;
    const loop_nest& k_;
    section& s_;
    const int loop_;
    const bool in_place_;
    std::set<inline_op>& ops_;
    std::vector<int> made_;  ///< by slot: the step of this section that computes it, or -1
    std::vector<char> needed_;
    std::vector<unit> units_;
};

template <class F>
void for_each_fused(const plan& p, F f) {
    for (const fused_loop& l : p.fused) f(l);
    for (const plan& r : p.regions) for_each_fused(r, f);
}

/// The distinct functions of a plan by source, numbered by first occurrence.
std::map<std::string, std::size_t> numbered_functions(const plan& p) {
    std::map<std::string, std::size_t> numbers;
    for_each_fused(p, [&](const fused_loop& l) { numbers.emplace(l.body, numbers.size()); });
    return numbers;
}

std::string function_name(std::size_t number) { return fmt::format("sinter_loop_{}", number); }

}  // namespace

bool fuse_loops(plan& p, const loop_nest& k, bool in_place, std::set<inline_op>& ops) {
    for (section& s : p.stages) section_fuser(p, k, s, -1, in_place, ops).fuse();
    for (std::size_t l = 0; l < p.loops.size(); ++l)
        section_fuser(p, k, p.loops[l].body, static_cast<int>(l), in_place, ops).fuse();
    drop_expansions(p);
    for (loop_plan& l : p.loops) run_leaves_at_once(p, l);
    return !p.fused.empty();
}

std::string source_of(const plan& p, const std::set<inline_op>& ops) {
    const std::map<std::string, std::size_t> numbers = numbered_functions(p);
    std::vector<const std::string*> bodies(numbers.size());
    for (const auto& [body, number] : numbers) bodies[number] = &body;
    std::string functions;
    for (std::size_t n = 0; n < bodies.size(); ++n)
        functions += fmt::format(
            "\nextern \"C\" __attribute__((visibility(\"default\"))) void {}(void* const* pointers, const int64* "
            "numbers,\n"
            "        int64 group, int64 groups, int64 trip, int64 trips) {{\n{}}}\n",
            function_name(n), *bodies[n]);
    return translation_unit(ops, functions);
}

std::vector<std::string> function_names(const plan& p) {
    const std::map<std::string, std::size_t> numbers = numbered_functions(p);
    std::vector<std::string> names;
    for_each_fused(p, [&](const fused_loop& l) { names.push_back(function_name(numbers.at(l.body))); });
    return names;
}

}  // namespace sinter::codegen::blocked
