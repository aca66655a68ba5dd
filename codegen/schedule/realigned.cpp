// Whether neighbours are a run, and whether to realign them pays.
#include <codegen/schedule/realigned.hpp>

#include <codegen/schedule/access.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/guards.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <sinter/gather.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinter::codegen {
namespace {

/// How a value depends on the number of a neighbour.
enum class dependence : std::uint8_t {
    none,
    run,    ///< rises by one from neighbour to neighbour, but where `gathered_run` says
    steps,  ///< changes only where a quotient does
    other
};

class run_finder {
public:
    run_finder(const loop_nest& of, int along) : k(of), axis(along) {}

    dependence of(int index) {
        const value& v = k.values[static_cast<std::size_t>(index)];
        if ((v.varies >> axis & 1u) == 0) return dependence::none;
        if (!is_integer(v.type)) return dependence::other;
        if (v.what == value_kind::index) return stride_of(k, v.at, axis) == 1 ? dependence::run : dependence::other;
        if (v.what == value_kind::cast) return of(v.in[0]);
        return v.what == value_kind::elementwise ? of_op(index, v) : dependence::other;
    }

    gathered_run found;

private:
    dependence of_op(int index, const value& v) {
        std::array<dependence, 3> in{};
        const std::size_t before = found.parts.size() + found.rolls.size();
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = v.in[i] < 0 ? dependence::none : of(v.in[i]);
        if (std::count(in.begin(), in.end(), dependence::other) != 0) return dependence::other;
        const auto runs = std::count(in.begin(), in.end(), dependence::run);
        if (runs == 0) return dependence::steps;
        if (v.op == &index_plus) return runs == 1 ? dependence::run : dependence::other;
        const bool alone = in[0] == dependence::run && in[1] == dependence::none && in[2] == dependence::none;
        if (!alone) return dependence::other;
        if (v.op == &sinter::detail::index_of_part_row::row) return add(found.parts, index, dependence::run);
        if (v.op == &sinter::detail::index_rolled_row::row) return add(found.rolls, index, dependence::run);
        const bool divides = v.op == &index_quotient || v.op == &index_divided;
        // of an index beyond its part, which may be negative, a quotient would not tell where rows end
        const bool is_plain = found.parts.size() + found.rolls.size() == before;
        return divides && is_plain ? add(found.quotients, index, dependence::steps) : dependence::other;
    }

    static dependence add(std::vector<int>& to, int index, dependence then) {
        if (std::find(to.begin(), to.end(), index) == to.end()) to.push_back(index);
        return then;
    }

    const loop_nest& k;
    int axis;
};

/// Instructions that shift neighbours out of two vectors (the device function `realigned`).
int shifts_of(int vector, int size) {
    const int words = vector * size / 4, least = std::max(size / 4, 1);
    int all = size < 4 ? words : 0, needed = size < 4 ? words + 1 : words;
    for (int step = least; step < words; step *= 2) {  // the last stage first
        all += needed;
        needed += step;
    }
    return all;
}

/// Instructions with which a value is computed at one neighbour, roughly.
int instructions_of(const loop_nest& k, int index, int axis) {
    const value& v = k.values[static_cast<std::size_t>(index)];
    if ((v.varies >> axis & 1u) == 0) return 0;
    int all = v.op == nullptr ? 0 : size_of(v.type) == 8 ? 6 : 3;
    for (int in : v.in)
        if (in >= 0) all += instructions_of(k, in, axis);
    return all;
}

/// A number that is an operand, or 0.
std::uint64_t number_of(const loop_nest& k, int operand) {
    const value& v = k.values[static_cast<std::size_t>(operand)];
    if (v.what != value_kind::scalar) return 0;
    const int from = k.scalars[static_cast<std::size_t>(v.scalar)];
    return from >= 0 ? 0 : static_cast<std::uint64_t>(k.numbers[static_cast<std::size_t>(-1 - from)]);
}

/// The part of a warp's accesses in which some thread's neighbours are no run: where a row ends or a roll wraps around.
double part_without_run(const loop_nest& k, const gathered_run& run, int axis, int elements_of_warp) {
    if (run.rolls.empty() && run.quotients.empty()) return 0;
    auto shortest_run = static_cast<double>(extent_of(k, axis));
    for (int q : run.quotients) {
        const value& v = k.values[static_cast<std::size_t>(q)];
        const auto by = static_cast<double>(number_of(k, v.in[1]));
        const double words = 4294967296.0;  // the divisor of a multiplication: see analysis/division.hpp
        const double row =
            v.op == &index_divided ? std::exp2(static_cast<double>(number_of(k, v.in[2]))) * words / (by + words) : by;
        shortest_run = std::min(shortest_run, row);
    }
    return std::min(1.0, elements_of_warp / std::max(shortest_run, 1.0));
}

/// Whether two aligned accesses, and what takes neighbours out of them, take fewer issue slots than an access per
/// neighbour. The cache serves about two lines in an issue slot: rolls of floats take 54 % instead of 87 % of its time
/// when they are realigned, but a quarter more instructions, and as long (one H200, bench/NOTES.md).
bool pays(const loop_nest& k, const gathered_run& run, int load, int vector) {
    constexpr int of_branches = 10;
    constexpr double slots_per_line = 0.5;
    const value& v = k.values[static_cast<std::size_t>(load)];
    const int axis = k.outer.back(), size = static_cast<int>(size_of(v.type));
    const auto sharing = std::count_if(k.values.begin(), k.values.end(),
                                       [&](const value& other) { return is_gather(other) && other.in[0] == v.in[0]; });
    const double index = instructions_of(k, v.in[0], axis) / static_cast<double>(sharing);
    const double slots_of_access = 1 + slots_per_line * std::max(1, warp_lanes * vector * size / line_bytes);
    const double singly = vector * (slots_of_access + index);
    const int ends = run.parts.empty() ? 2 : 4;  // values of the index: at the first neighbour and at the last one
    const double realigned = 2 * slots_of_access + shifts_of(vector, size) + ends * index + of_branches;
    const double without_run = part_without_run(k, run, axis, warp_lanes * vector);
    // element by element, all operands of a stack would be read, of which an element is in one
    const std::vector<guard> guards = guards_of(k, load, axis);
    if (std::any_of(guards.begin(), guards.end(), [](const guard& g) { return g.chooses; })) return without_run < 0.5;
    return realigned + without_run * singly < singly;
}

}  // namespace

std::optional<gathered_run> run_of(const loop_nest& k, int displacement, int axis) {
    run_finder f(k, axis);
    return f.of(displacement) == dependence::run ? std::optional(std::move(f.found)) : std::nullopt;
}

bool can_realign(const loop_nest& k, int load, int vector, const std::vector<int>& alignment) {
    const value& v = k.values[static_cast<std::size_t>(load)];
    const int size = static_cast<int>(size_of(v.type)), axis=k.outer.empty() ? -1 : k.outer.back();
    if (axis < 0 || !is_gather(v) || stride_of(k, v.at, axis) != 0) return false;
    if (vector * size < 4 || vector * size > 16) return false;
    const auto input = static_cast<std::size_t>(v.input);
    const kernel_input& from = k.inputs[input];
    if (from.elements == 0 || from.offset < 0 || from.may_alias_output) return false;
    if (input >= alignment.size() || alignment[input] % (vector * size) != 0) return false;
    const std::optional<gathered_run> run = run_of(k, v.in[0], axis);
    return run && pays(k, *run, load, vector);
}

std::uint64_t realigned_gathers_of(const loop_nest& k, const schedule& s, const std::vector<int>& alignment) {
    if (s.form != schedule_form::elementwise || s.vector_width == 1 || k.outer.empty()) return 0;
    std::uint64_t all = 0;
    int ordinal = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& load = k.values[static_cast<std::size_t>(v)];
        if (!is_gather(load)) continue;
        const access a{load.at, load.input, load.type, load.loop, load.in[0]};
        if (ordinal < 64 && !can_gather(k, a, k.outer.back(), s.vector_width, alignment) &&
            can_realign(k, v, s.vector_width, alignment))
            all |= std::uint64_t{1} << ordinal;
        ++ordinal;
    }
    return all;
}

bool is_realigned(const loop_nest& k, const schedule& s, int value) {
    if (s.realigned == 0 || !is_gather(k.values[static_cast<std::size_t>(value)])) return false;
    const int before = ordinal_of_gather(k, value);
    return before < 64 && (s.realigned >> before & 1u) != 0;
}

}  // namespace sinter::codegen
