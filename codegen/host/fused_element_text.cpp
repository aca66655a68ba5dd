// Collects what the steps of a fused loop read and write, and prints them.
#include <codegen/host/fused_element_text.hpp>

#include <codegen/cuda/literal.hpp>
#include <codegen/rows/identity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

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

int element_text::add_access(const access& a, std::string pointer, dtype type, std::int64_t start) {
    accesses_.push_back({&a, std::move(pointer), type, start});
    return static_cast<int>(accesses_.size()) - 1;
}

/// Neighbours in one array, such as channels, have one pointer: compilers then load them together.
int element_text::add_load(const access& a, dtype type) {
    constexpr std::int64_t furthest = 16;
    const auto size = static_cast<std::int64_t>(a.element_size);
    for (const fused_pointer& known : loop_.pointers) {
        const std::int64_t bytes = a.start - known.start;
        if (known.what == fused_pointer::kind::input && known.of == a.pointer && bytes % size == 0 &&
            std::abs(bytes) <= furthest * size)
            return add_access(a, add_pointer(known.what, known.of, known.start, type), type, bytes / size);
    }
    return add_access(a, add_pointer(fused_pointer::kind::input, a.pointer, a.start, type), type, 0);
}

/// The source of a constant; empty if its value is known only at run time.
std::string element_text::constant_text(int id) const {
    for (const constant_fill& f : p_.fills) {
        if (f.slot != id || size_of(slot_of(id).type) > sizeof f.value.bits) continue;
        if (f.scalar < 0 && is_storage_only(slot_of(id).type))
            return std::to_string(f.value.bits & (is_float8(slot_of(id).type) ? 0xff : 0xffff));
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
            placed_[s.out] = add_load(p_.loads[static_cast<std::size_t>(s.load)], slot_of(s.out).type);
        } else if (s.index >= 0) {
            const access& a = p_.indices[static_cast<std::size_t>(s.index)];
            placed_[s.out] = add_access(a, {}, slot_of(s.out).type, a.start);
        }
        for (const int in : s.in) add_operand(in, s.of_group);
        names_[s.out] = fmt::format("v{}", id_of(s.out));
    }
    for (const store_step& s : what_.stores) {
        const dtype type = slot_of(s.value).type;
        add_access(s.to, add_pointer(fused_pointer::kind::output, s.to.pointer, s.to.start, type), type, 0);
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

std::string element_text::widened_type(std::size_t a) const {
    if (!may_hoist(a) || (accesses_[a].type != dtype::int8 && accesses_[a].type != dtype::uint8)) return {};
    const auto made =
        std::find_if(placed_.begin(), placed_.end(), [a](const auto& p) { return p.second == static_cast<int>(a); });
    const int id = made->first;
    bool only_converted = std::find(loop_.results.begin(), loop_.results.end(), id) == loop_.results.end();
    for (const store_step& s : what_.stores) only_converted = only_converted && s.value != id;
    std::size_t narrowest = sizeof(int);
    for (const step& s : what_.steps) {
        if (std::find(s.in.begin(), s.in.end(), id) == s.in.end()) continue;
        only_converted = only_converted && s.op == nullptr && s.load < 0;
        narrowest = std::min(narrowest, size_of(slot_of(s.out).type));
    }
    return !only_converted || narrowest < sizeof(short) ? "" : narrowest < sizeof(int) ? "short" : "int";
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
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        const std::string to = at.accumulators.empty() ? fmt::format("a{}", f) : at.accumulators[f];
        const std::string& value = names_[fold_of(f).in];
        w.line("{} = {};", to, at.only_assigns ? value : folded_into(f, to, value));
    }
}

std::string element_text::folded_into(std::size_t f, const std::string& accumulator, const std::string& value) const {
    return fmt::format("{}({}, {})", function_name_of({fold_of(f).op, fold_of(f).type}), accumulator, value);
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

std::vector<std::string> element_text::fold_results(const std::string& group) const {
    std::vector<std::string> all;
    for (const std::string& pointer : folded_) all.push_back(fmt::format("{}[{}]", pointer, group));
    return all;
}

/// Folds the elements from index `from` on into as many lanes.
void element_text::print_lanes(writer& w, std::int64_t lanes, const std::string& from) const {
    w.line("SINTER_INDEPENDENT");
    w.open("for (int64 j = 0; j < {}; ++j)", lanes);
    std::string arguments;
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        w.line("{} x{};", value_type(fold_of(f).type), f);
        arguments += fmt::format(", x{}", f);
    }
    w.line("element({} + j{});", from, arguments);
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        const std::string lane = fmt::format("l{}[j]", f);
        w.line("{} = {};", lane, folded_into(f, lane, fmt::format("x{}", f)));
    }
    w.close();
}

/// Whether the results do not depend on the order: of the table's reductions of integers, and of their narrow sums.
bool element_text::folds_in_any_order() const {
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        const op_row& row = *fold_of(f).op;
        if (!is_integer(fold_of(f).type) || (row.builtin < 0 && row.body != std::string_view("x + y"))) return false;
    }
    return true;
}

/// Folds a row into one accumulator, which compilers divide into lanes as suits what is folded: narrower elements that
/// lanes of a fixed number would keep from being vectors.
void element_text::print_folds_in_any_order(writer& w, element_position at, const std::string& count,
                                            const std::string& group) {
    const std::vector<std::string> results = fold_results(group);
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        at.accumulators.push_back(fmt::format("s{}", f));
        w.line("{} s{} = {};", value_type(fold_of(f).type), f, results[f]);
    }
    w.line("SINTER_INDEPENDENT");
    w.open("for (int64 t = 0; t < {}; ++t)", count);
    print(w, at);
    w.close();
    for (std::size_t f = 0; f < folded_.size(); ++f) w.line("{} = s{};", results[f], f);
}

void element_text::print_long_folds(writer& w, element_position at, const std::string& count,
                                    const std::string& group) {
    if (folds_in_any_order()) return print_folds_in_any_order(w, std::move(at), count, group);
    const std::int64_t lanes = fold_lanes(fold_of(0).type);
    std::string parameters, elements, lane_elements;
    at.only_assigns = true;
    for (std::size_t f = 0; f < folded_.size(); ++f) {
        parameters += fmt::format(", {}& to{}", value_type(fold_of(f).type), f);
        elements += fmt::format(", x{}", f);
        lane_elements += fmt::format(", l{}[j]", f);
        at.accumulators.push_back(fmt::format("to{}", f));
    }
    w.line("const auto element = [&](const int64 t{}) __attribute__((always_inline)) {{", parameters);
    print(w, at);
    w.line("}};");
    const std::vector<std::string> results = fold_results(group);
    w.open("if ({} < {})", count, 2 * lanes);
    w.open("for (int64 t = 0; t < {}; ++t)", count);
    for (std::size_t f = 0; f < folded_.size(); ++f) w.line("{} x{};", value_type(fold_of(f).type), f);
    w.line("element(t{});", elements);
    for (std::size_t f = 0; f < folded_.size(); ++f)
        w.line("{} = {};", results[f], folded_into(f, results[f], fmt::format("x{}", f)));
    w.close();
    w.close();
    w.open("else");
    for (std::size_t f = 0; f < folded_.size(); ++f) w.line("{} l{}[{}];", value_type(fold_of(f).type), f, lanes);
    w.line("SINTER_INDEPENDENT");
    w.line("for (int64 j = 0; j < {}; ++j) element(j{});", lanes, lane_elements);
    w.line("int64 t = {};", lanes);
    w.open("for (; t + {0} <= {1}; t += {0})", lanes, count);
    print_lanes(w, lanes, "t");
    w.close();
    w.line("const int64 rest = {} - t;", count);
    for (std::int64_t width = lanes / 2; width > 0; width /= 2) {
        w.open("if (rest & {})", width);
        print_lanes(w, width, "t");
        w.line("t += {};", width);
        w.close();
        w.line("SINTER_INDEPENDENT");
        w.open("for (int64 j = 0; j < {}; ++j)", width);
        for (std::size_t f = 0; f < folded_.size(); ++f)
            w.line("l{0}[j] = {1};", f, folded_into(f, fmt::format("l{}[j]", f), fmt::format("l{}[j + {}]", f, width)));
        w.close();
    }
    for (std::size_t f = 0; f < folded_.size(); ++f)
        w.line("{} = {};", results[f], folded_into(f, results[f], fmt::format("l{}[0]", f)));
    w.close();
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
        else if (!at.widened.empty() && !at.widened[a].empty())
            w.line("const auto {} = {};", name, at.widened[a]);
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
