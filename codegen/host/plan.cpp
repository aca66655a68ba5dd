// Makes the plan of a region: its steps, and what is kept from loop to loop.
#include <codegen/host/region_plan.hpp>

#include <codegen/host/equivalent_values.hpp>
#include <codegen/host/fuse.hpp>
#include <codegen/host/fused_loop_text.hpp>
#include <codegen/host/value_types.hpp>
#include <codegen/rows/divisions.hpp>
#include <codegen/rows/identity.hpp>
#include <codegen/rows/widened_sums.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <sinter/op/builtin.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace sinter::codegen::blocked {

namespace {

constexpr std::int64_t worth_streaming = 8 * 1024 * 1024;  // more than a core's share of the last-level cache
constexpr std::int64_t max_kept = 1024 * 1024;             // about a core's share of the caches

class planner {
public:
    /// With `fused`, steps become loops to be compiled, and the ops that they use are added to it.
    planner(const region& r, instruction_set isa, std::set<inline_op>* fused)
        : r_(r), k_(r.body), isa_(isa), fused_(fused) {}

    plan make() {
        p_.scalars = k_.scalars.size();
        p_.groups = outer_size(k_);
        p_.slots.resize(k_.values.size());
        for (const kernel_input& i : k_.inputs) aliased_ = aliased_ || i.may_alias_output;
        choose_pools();
        choose_blocks(p_, k_, fused_ != nullptr);
        choose_kept();
        for (std::size_t l = 0; l <= k_.loops.size(); ++l) {
            make_stage(static_cast<int>(l));
            if (l < k_.loops.size()) make_loop(static_cast<int>(l));
        }
        make_stores();
        if (fused_ != nullptr)
            fuse_loops(p_, k_, aliased_, *fused_);
        else
            fuse_pairs(p_, isa_);
        fold_in_place(p_, isa_);
        mark_direct(p_.stages.back());
        for (loop_plan& l : p_.loops) mark_direct(l.body);
        assign_buffers(p_);
        return std::move(p_);
    }

private:
    const value& value_of(int id) const { return k_.values[id]; }

    /// Sets the types and pools of the kernel's own values, and collects scalars and constants.
    void choose_pools() {
        for (int id = 0; id < static_cast<int>(k_.values.size()); ++id) {
            const value& v = value_of(id);
            slot& s = p_.slots[id];
            s.type = type_of(k_, v);
            bool uniform = v.what != value_kind::load && v.what != value_kind::reduce && v.what != value_kind::scan &&
                           v.what != value_kind::index;
            for (const int in : v.in) uniform = uniform && (in < 0 || p_.slots[in].where == pool::uniform);
            s.where = uniform ? pool::uniform : v.loop == group_level ? pool::tile : pool::loop;
            if (v.what == value_kind::scalar) p_.fills.push_back({id, v.scalar, {}});
            if (v.what == value_kind::constant) p_.fills.push_back({id, -1, {v.bits}});
        }
    }

    access access_to(int pointer, int at, dtype type, const std::vector<int>& inner, std::int64_t start = 0) const {
        access a;
        a.element_size = size_of(type);
        a.copy = plane_copy_of(a.element_size, isa_);
        a.start = start * static_cast<std::int64_t>(a.element_size);
        a.outer = walk(k_, k_.outer, k_.layouts[at], a.element_size);
        a.inner = walk(k_, inner, k_.layouts[at], a.element_size);
        a.pointer = pointer;
        a.at = at;
        return a;
    }

    /// The operand of a reduction to the largest key, if it pairs elements with their index along the loop's rows, in
    /// ascending order: they can be folded without forming the pairs. -1 otherwise.
    int paired_elements(int reduction) const {
        const value& v = value_of(reduction);
        if (v.over < 0 || k_.loops[v.over].backwards) return -1;
        const value& pair = value_of(v.in[0]);
        if (pair.what != value_kind::elementwise || pair.loop != v.over) return -1;
        const bool of_keys = v.op->rule == dtype_rule::largest_key && pair.op->rule == dtype_rule::keyed;
        const bool of_packed =
            v.op->builtin == static_cast<int>(builtin_op::max) && pair.op->rule == dtype_rule::packed;
        if (!of_keys && !of_packed) return -1;
        const value& index = value_of(pair.in[1]);
        if (index.what != value_kind::index || p_.slots[pair.in[0]].where != pool::loop) return -1;
        for (const int a : k_.outer)
            if ((index.varies >> a & 1) != 0) return -1;
        const walk along(k_, k_.loops[v.over].axes, k_.layouts[index.at], 1);
        return along.axes() == 1 && along.stride() > 0 ? v.in[0] : -1;
    }

    std::int64_t loop_count() const { return static_cast<std::int64_t>(k_.loops.size()); }

    /// Keeps all elements of `id` in the tile for a later loop with the same blocks. Returns false if there is no room.
    bool keep(int id, const loop_plan& later) {
        const value& v = value_of(id);
        const loop_plan& l = p_.loops[v.loop];
        if (v.what != value_kind::elementwise && v.what != value_kind::cast) return false;
        if (l.columns != later.columns || l.block_groups != later.block_groups || l.block_trips != later.block_trips)
            return false;
        slot& s = p_.slots[id];
        if (s.kept_at >= 0) return true;
        const std::int64_t bytes = round_up(p_.tile * l.trips * static_cast<std::int64_t>(size_of(s.type)), alignment);
        if (p_.kept_bytes + bytes > max_kept) return false;
        s.kept_at = std::exchange(p_.kept_bytes, p_.kept_bytes + bytes);
        return true;
    }

    /// Finds values that an earlier loop has computed, and keeps them instead of recomputing; marks the values that are
    /// still read.
    void choose_kept() {
        const int count = static_cast<int>(k_.values.size());
        source_.resize(k_.values.size());
        std::iota(source_.begin(), source_.end(), 0);
        needed_.assign(k_.values.size(), false);
        const auto need_operands = [&](int id) {
            const int paired = value_of(id).what == value_kind::reduce ? paired_elements(id) : -1;
            if (paired >= 0) return void(needed_[value_of(paired).in[0]] = true);
            for (const int in : value_of(id).in)
                if (in >= 0) needed_[in] = true;
        };
        for (const kernel_store& s : k_.stores) needed_[s.value] = true;
        for (int id = 0; id < count; ++id)
            if (p_.slots[id].where != pool::loop) {
                needed_[id] = true;
                need_operands(id);
            }
        const std::vector<int> equivalents = loop_count() > 1 && !p_.split ? find_equivalent_values(k_) : source_;
        for (int loop = static_cast<int>(loop_count()); loop-- > 0;)
            for (int id = count; id-- > 0;) {
                if (!needed_[id] || p_.slots[id].where != pool::loop || value_of(id).loop != loop) continue;
                const int equivalent = equivalents[id];
                if (value_of(equivalent).loop < loop && p_.slots[equivalent].where == pool::loop &&
                    keep(equivalent, p_.loops[loop])) {
                    source_[id] = equivalent;
                    needed_[id] = false;
                    needed_[equivalent] = true;
                    p_.loops[loop].kept.push_back(equivalent);
                } else {
                    need_operands(id);
                }
            }
    }

    int new_slot(dtype type, pool where) {
        p_.slots.push_back({type, where, -1});
        return static_cast<int>(p_.slots.size()) - 1;
    }

    section& section_of(pool where, int position) {
        return where == pool::uniform ? p_.uniform
               : where == pool::tile  ? p_.stages[position]
                                      : p_.loops[position].body;
    }

    /// The slot that holds value `id` as `type` for a section of pool `where`: repeated along the block and converted
    /// if necessary.
    int operand(int id, dtype type, pool where, int position) {
        id = source_[id];
        if (where == pool::loop && p_.slots[id].where == pool::tile && !p_.loops[position].columns) {
            std::vector<expansion>& all = p_.loops[position].expansions;
            const auto same = std::find_if(all.begin(), all.end(), [id](const expansion& e) { return e.from == id; });
            if (same != all.end()) {
                id = same->to;
            } else {
                all.push_back({id, new_slot(p_.slots[id].type, pool::loop)});
                id = all.back().to;
            }
        }
        if (p_.slots[id].type == type) return id;
        step s;
        s.run = cast_loop(type, p_.slots[id].type, isa_);
        s.in[0] = id;
        s.out = new_slot(type, where);
        section_of(where, position).steps.push_back(s);
        return s.out;
    }

    void add_value(int id, pool where, int position) {
        const value& v = value_of(id);
        step s;
        s.out = id;
        if (v.what == value_kind::load) {
            s.load = static_cast<int>(p_.loads.size());
            const std::vector<int> none;
            p_.loads.push_back(access_to(v.input, v.at, k_.inputs[v.input].type,
                                         where == pool::loop ? k_.loops[position].axes : none, r_.value_starts[id]));
            p_.loads.back().in_place = !(k_.inputs[v.input].may_alias_output && k_.stores.size() > 1);
            if (v.in[0] >= 0) {
                s.of_group =
                    where == pool::loop && p_.slots[v.in[0]].where == pool::tile && !p_.loops[position].columns;
                s.in[0] = operand(v.in[0], dtype::int64, s.of_group ? pool::tile : where, position);
            }
        } else if (v.what == value_kind::index) {
            s.index = static_cast<int>(p_.indices.size());
            const std::vector<int> none;
            p_.indices.push_back(access_to(-1, v.at, dtype::int8, where == pool::loop ? k_.loops[position].axes : none,
                                           r_.value_starts[id]));
        } else if (v.what == value_kind::scan) {
            std::vector<scan_step>& scans = p_.loops[position].scans;
            s.in[0] = operand(v.in[0], v.type, where, position);
            s.scan = static_cast<int>(scans.size());
            scans.push_back({loops_of(*v.op, v.type, isa_), identity_of(*v.op, v.type), size_of(v.type), v.exclusive});
            s.run = scans.back().loops.map;
        } else if (v.what == value_kind::cast) {
            s.in[0] = operand(v.in[0], p_.slots[v.in[0]].type, where, position);
            s.run = cast_loop(v.type, p_.slots[v.in[0]].type, isa_);
        } else {
            const dtype t = computed_type(k_, v);
            for (int i = 0; i < v.op->arity; ++i)
                s.in[i] = operand(v.in[i], detail::operand_of(v.op->rule, t, i), where, position);
            s.run = loops_of(*v.op, t, isa_).map;
            s.op = v.op;
            s.computes = t;
            if (v.op->arity == 2 && t == v.type) s.builtin = v.op->builtin;
            if (v.op->arity == 2 && where != pool::uniform && p_.slots[s.in[1]].where == pool::uniform)
                if (const detail::map_loop divide = division_by_one_number(*v.op, t, isa_)) {
                    s.run = divide;
                    s.by_one_number = true;
                }
        }
        section_of(where, position).steps.push_back(s);
    }

    bool is_computed(int id) const {
        const value_kind what = value_of(id).what;
        return what == value_kind::load || what == value_kind::index || what == value_kind::elementwise ||
               what == value_kind::cast || what == value_kind::scan;
    }

    void make_stage(int stage) {
        p_.stages.emplace_back();
        for (int id = 0; id < static_cast<int>(k_.values.size()); ++id) {
            if (!is_computed(id) || !needed_[id]) continue;
            if (p_.slots[id].where == pool::uniform) {
                if (stage == 0) add_value(id, pool::uniform, 0);
            } else if (p_.slots[id].where == pool::tile &&
                       std::min<int>(value_of(id).stage, static_cast<int>(loop_count())) == stage) {
                add_value(id, pool::tile, stage);
            }
        }
    }

    /// Lets a fold read the elements of pairs, and compute their indices.
    void take_pairs(fold_step& f, const value& pair, int loop) {
        const value& index = value_of(pair.in[1]);
        const dtype type = computed_type(k_, pair);
        f.in = operand(pair.in[0], type, pool::loop, loop);
        const bool reversed =
            pair.op == &packed_key_reversed || pair.op->builtin == static_cast<int>(builtin_op::keyed_reversed);
        f.extreme = extreme_fold_of({reversed, pair.op->rule == dtype_rule::packed}, type, isa_);
        f.index = static_cast<int>(p_.indices.size());
        p_.indices.push_back(access_to(-1, index.at, dtype::int8, k_.loops[loop].axes, r_.value_starts[pair.in[1]]));
    }

    /// The fold of a sum that widens its elements. Loops that are compiled widen them in registers.
    detail::fold_loop widened_sum(const value& v) const {
        if (fused_ != nullptr) return nullptr;
        return widened_sum_of(*v.op, v.type, p_.slots[v.in[0]].type, isa_);
    }

    void make_loop(int loop) {
        for (int id = 0; id < static_cast<int>(k_.values.size()); ++id)
            if (p_.slots[id].where == pool::loop && is_computed(id) && needed_[id] && value_of(id).loop == loop)
                add_value(id, pool::loop, loop);
        for (const int id : k_.loops[loop].reductions) {
            const value& v = value_of(id);
            fold_step f;
            f.reduce = id;
            f.of_parts = detail::folds_parts(v.op->rule) && p_.slots[v.in[0]].type != v.type;
            f.loops = loops_of(*v.op, v.type, isa_);
            f.fold = f.of_parts ? f.loops.fold_parts : f.loops.fold;
            if (const int pair = paired_elements(id); pair >= 0) {
                take_pairs(f, value_of(pair), loop);
            } else if (const detail::fold_loop widened = widened_sum(v)) {
                f.fold = widened;
                f.of_parts = true;
                f.in = operand(v.in[0], p_.slots[v.in[0]].type, pool::loop, loop);
            } else {
                f.in = operand(v.in[0], f.of_parts ? real_of(v.type) : v.type, pool::loop, loop);
            }
            f.op = v.op;
            f.type = v.type;
            f.identity = identity_of(*v.op, v.type);
            f.element_size = size_of(v.type);
            p_.loops[loop].folds.push_back(f);
        }
    }

    void make_stores() {
        for (std::size_t i = 0; i < k_.stores.size(); ++i) {
            const kernel_store& s = k_.stores[i];
            const bool inside = s.loop != group_level;
            const pool where = inside ? pool::loop : pool::tile;
            const int position = inside ? s.loop : static_cast<int>(loop_count());
            const std::vector<int> none;
            const access to = access_to(s.output, s.at, k_.outputs[s.output], inside ? k_.loops[s.loop].axes : none,
                                        r_.store_starts[i]);
            const int from = operand(s.value, k_.outputs[s.output], where, position);
            const std::int64_t elements = p_.groups * (inside ? p_.loops[position].trips : 1);
            const bool streams = elements * static_cast<std::int64_t>(to.element_size) >= worth_streaming &&
                                 !aliased_;  // the overwritten input is in the cache
            section_of(where, position).stores.push_back({from, to, streams});
            p_.streams = p_.streams || streams;
        }
    }

    /// Lets ops compute directly into the output where that cannot clobber what is still to be read: always, unless a
    /// result aliases an input; then only as the section's last step.
    void mark_direct(section& s) const {
        for (std::size_t i = 0; i < s.stores.size() && i < 64; ++i)
            for (std::size_t t = 0; t < s.steps.size(); ++t)
                if (!s.stores[i].streams && s.steps[t].out == s.stores[i].value && s.steps[t].run != nullptr &&
                    s.steps[t].store < 0 && p_.slots[s.steps[t].out].kept_at < 0 &&
                    (!aliased_ || (t + 1 == s.steps.size() && s.stores.size() == 1)))
                    s.steps[t].store = static_cast<int>(i);
    }

    const region& r_;
    const loop_nest& k_;
    const instruction_set isa_;
    std::set<inline_op>* const fused_;
    plan p_;
    bool aliased_ = false;
    std::vector<int> source_;   ///< by value: the equivalent value to use, itself or an earlier loop's
    std::vector<bool> needed_;  ///< by value: whether it is read
};

plan plan_of(const region& r, move_plan m) {
    plan p;
    p.scalars = r.body.scalars.size();
    p.groups = outer_size(r.body);
    p.streams = m.streams = p.groups * static_cast<std::int64_t>(m.element_size) >= worth_streaming;
    p.tile = p.span = p.tiles_per_span = 1;
    p.tiles = m.boxes();
    p.grain = std::max<std::int64_t>(1, elements_worth_a_task / m.box_elements());
    p.move = std::move(m);
    return p;
}

}  // namespace

plan plan_region(const region& r, instruction_set isa, std::set<inline_op>* fused) {
    if (std::optional<move_plan> m = find_move(r, isa)) return plan_of(r, std::move(*m));
    return planner(r, isa, fused).make();
}

}  // namespace sinter::codegen::blocked
