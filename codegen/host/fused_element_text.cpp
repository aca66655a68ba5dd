// Collects what the steps of a fused loop read and write, and prints them.
#include <codegen/host/fused_element_text.hpp>

#include <codegen/cuda/literal.hpp>
#include <codegen/rows/identity.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::blocked {
namespace {

std::string element_of(const std::string& pointer, const std::string& index, dtype type) {
    return fmt::format("{}[{}]{}", pointer, index, type == dtype::bool_ ? " != 0" : "");
}

}  // namespace

std::string element_text::add_pointer(fused_pointer::kind what, int of, std::int64_t start, dtype type) {
    const bool writes =
        what == fused_pointer::kind::output || what == fused_pointer::kind::result || what == fused_pointer::kind::fold;
    const fused_pointer pointer{what, of, start};
    const auto known = std::find(loop_.pointers.begin(), loop_.pointers.end(), pointer);
    const auto n = static_cast<std::size_t>(known - loop_.pointers.begin());
    if (known == loop_.pointers.end()) {
        loop_.pointers.push_back(pointer);
        const std::string element = (writes ? "" : "const ") + memory_type(type);
        declarations_.push_back(fmt::format("{0}* const p{1} = static_cast<{0}*>(pointers[{1}]);", element, n));
    }
    return fmt::format("p{}", n);
}

int element_text::add_access(const access& a, std::string pointer, dtype type) {
    accesses_.push_back({&a, std::move(pointer), type});
    return static_cast<int>(accesses_.size()) - 1;
}

/// The source of a constant; empty if its value is known only at run time.
std::string element_text::constant_text(int id) const {
    for (const constant_fill& f : p_.fills) {
        if (f.slot != id || size_of(slot_of(id).type) > sizeof f.value.bits) continue;
        if (f.scalar < 0 && is_half(slot_of(id).type)) return std::to_string(f.value.bits & 0xffff);
        if (f.scalar < 0) return literal(slot_of(id).type, f.value.bits);
        const int from = k_.scalars[static_cast<std::size_t>(f.scalar)];
        if (from < 0)
            return literal(slot_of(id).type,
                           static_cast<std::uint64_t>(k_.numbers[static_cast<std::size_t>(-1 - from)]));
    }
    return {};
}

/// The group-level slot that an expansion repeats, or -1.
int element_text::expanded_from(int id) const {
    if (what_.loop < 0) return -1;
    for (const expansion& e : p_.loops[static_cast<std::size_t>(what_.loop)].expansions)
        if (e.to == id) return e.from;
    return -1;
}

void element_text::add_operand(int id, bool of_group) {
    if (id < 0 || names_.count(id) != 0) return;
    const dtype type = slot_of(id).type;
    const int from = of_group ? id : expanded_from(id);
    if (const std::string text = constant_text(id); !text.empty()) {
        names_[id] = text;
    } else if (from >= 0) {
        loop_.operands.push_back(from);
        const std::string pointer = add_pointer(fused_pointer::kind::groups, from, 0, type);
        of_rows_.push_back({id, pointer});
        names_[id] = fmt::format("g{}", id_of(id));
    } else {
        loop_.operands.push_back(id);
        const std::string pointer = add_pointer(fused_pointer::kind::slot, id, 0, type);
        names_[id] = fmt::format("u{}", id_of(id));
        if (slot_of(id).where == pool::uniform)
            declarations_.push_back(
                fmt::format("const {} {} = {};", value_type(type), names_[id], element_of(pointer, "0", type)));
        else
            dense_.push_back({id, pointer});
    }
}

/// A number that does not depend on the plan's other slots, so that equal loops have equal source.
int element_text::id_of(int id) { return ids_.emplace(id, static_cast<int>(ids_.size())).first->second; }

element_text::element_text(const plan& p, const loop_nest& k, const fused_steps& what, std::set<inline_op>& ops)
    : p_(p), k_(k), what_(what), ops_(ops) {
    for (const step& s : what_.steps) {
        if (s.load >= 0) {
            const access& a = p_.loads[static_cast<std::size_t>(s.load)];
            const dtype type = slot_of(s.out).type;
            placed_[s.out] = add_access(a, add_pointer(fused_pointer::kind::input, a.pointer, a.start, type), type);
        } else if (s.index >= 0) {
            placed_[s.out] = add_access(p_.indices[static_cast<std::size_t>(s.index)], {}, slot_of(s.out).type);
        }
        for (const int in : s.in) add_operand(in, s.of_group);
        names_[s.out] = fmt::format("v{}", id_of(s.out));
    }
    for (const store_step& s : what_.stores) {
        const dtype type = slot_of(s.value).type;
        add_access(s.to, add_pointer(fused_pointer::kind::output, s.to.pointer, s.to.start, type), type);
    }
    for (std::size_t f = 0; f < what_.folds.size(); ++f) {
        add_operand(fold_of(f).in, false);
        folded_.push_back(add_pointer(fused_pointer::kind::fold, what_.folds[f], 0, fold_of(f).type));
        ops_.insert({fold_of(f).op, fold_of(f).type});
    }
    for (const int id : what_.results) {
        loop_.results.push_back(id);
        written_.push_back({id, add_pointer(fused_pointer::kind::result, id, 0, slot_of(id).type)});
    }
}

std::string element_text::load(std::size_t access, const std::string& offset) const {
    return element_of(accesses_[access].pointer, offset, accesses_[access].type);
}

bool element_text::may_hoist(std::size_t a) const {
    if (accesses_[a].pointer.empty() || a + what_.stores.size() >= accesses_.size()) return false;
    for (const step& s : what_.steps)
        if (const auto found = placed_.find(s.out); found != placed_.end() && found->second == static_cast<int>(a))
            return s.in[0] < 0;
    return false;
}

void element_text::print(writer& w, const element_position& at) {
    for (const auto& [id, pointer] : dense_)
        w.line("const {} {} = {};", value_type(slot_of(id).type), names_[id],
               element_of(pointer, at.element, slot_of(id).type));
    if (!at.group.empty()) print_group_values(w, at.group);
    for (const step& s : what_.steps) print_step(w, s, at);
    std::size_t a = accesses_.size() - what_.stores.size();
    for (const store_step& s : what_.stores) {
        w.line("{}[{}] = {};", accesses_[a].pointer, at.offsets[a], names_[s.value]);
        ++a;
    }
    for (const auto& [id, pointer] : written_) w.line("{}[{}] = {};", pointer, at.element, names_[id]);
    for (std::size_t f = 0; f < folded_.size(); ++f)
        w.line("a{0} = {1}(a{0}, {2});", f, function_name_of({fold_of(f).op, fold_of(f).type}), names_[fold_of(f).in]);
}

const fold_step& element_text::fold_of(std::size_t position) const {
    return p_.loops[static_cast<std::size_t>(what_.loop)].folds[static_cast<std::size_t>(what_.folds[position])];
}

void element_text::print_fold_starts(writer& w) const {
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        const fold_step& fold = fold_of(f);
        const ir::scalar_bits identity = identity_of(*fold.op, fold.type);
        w.line("{} a{} = {};", value_type(fold.type), f, literal(fold.type, identity.bits, identity.more));
    }
}

void element_text::print_fold_ends(writer& w, const std::string& group) const {
    for (std::size_t f = 0; f < folded_.size(); ++f) w.line("{}[{}] = a{};", folded_[f], group, f);
}

void element_text::print_group_values(writer& w, const std::string& group) const {
    for (const auto& [id, pointer] : of_rows_) {
        const dtype type = slot_of(id).type;
        w.line("const {} {} = {};", value_type(type), names_.at(id), element_of(pointer, group, type));
    }
}

void element_text::print_step(writer& w, const step& s, const element_position& at) {
    const std::string type = value_type(slot_of(s.out).type), &name = names_[s.out];
    if (const auto found = placed_.find(s.out); found != placed_.end()) {
        const auto a = static_cast<std::size_t>(found->second);
        const std::string& pointer = accesses_[a].pointer;
        if (pointer.empty())
            w.line("const {0} {1} = static_cast<{0}>({2});", type, name, at.offsets[a]);
        else if (!at.hoisted[a].empty())
            w.line("const {} {} = {};", type, name, at.hoisted[a]);
        else
            w.line("const {} {} = {};", type, name,
                   element_of(pointer, s.in[0] < 0 ? at.offsets[a] : at.offsets[a] + " + " + names_[s.in[0]],
                              accesses_[a].type));
        return;
    }
    if (s.op == nullptr)
        return w.line("const {} {} = {};", type, name,
                      conversion_text(slot_of(s.out).type, slot_of(s.in[0]).type, names_[s.in[0]]));
    const inline_op op{s.op, s.computes};
    ops_.insert(op);
    std::string arguments;
    for (int i = 0; i < s.op->arity; ++i) arguments += (i > 0 ? ", " : "") + names_[s.in[static_cast<std::size_t>(i)]];
    w.line("const {} {} = {}({});", type, name, function_name_of(op), arguments);
}

}  // namespace sinter::codegen::blocked
