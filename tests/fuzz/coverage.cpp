// Counting, and the tables of what is counted.
#include <tests/fuzz/coverage.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/analysis/alignment.hpp>
#include <codegen/schedule/loops.hpp>
#include <tests/fuzz/grow.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace sinter::fuzz {
namespace {

using codegen::loop_nest;
using codegen::schedule;
using codegen::schedule_form;

/// A form of schedule is one row, and so is what may be added to several of them.
struct form {
    const char* name;
    bool (*is)(const loop_nest& k, const schedule& s);
};
#define FORM(name, condition)                                                                                         \
    {                                                                                                                 \
        name,                                                                                                         \
            []([[maybe_unused]] const loop_nest& k, [[maybe_unused]] const schedule& s) -> bool { return condition; } \
    }
constexpr bool plain(const schedule& s) { return s.blocks_per_output == 1 && s.cluster == 1 && !s.grid_barrier; }
#define ELEMENTWISE s.form == schedule_form::elementwise
#define TILED s.form == schedule_form::tiled
#define STENCIL s.form == schedule_form::stencil
#define CHANNELS s.form == schedule_form::channels
#define WINDOWS s.form == schedule_form::windows
#define ROWS s.form == schedule_form::rows
#define COLUMNS s.form == schedule_form::columns
constexpr form forms[] = {
    FORM("elementwise, one element per thread", ELEMENTWISE&& s.vector_width == 1),
    FORM("elementwise, several neighbours", ELEMENTWISE&& s.vector_width > 1),
    FORM("elementwise, several accesses", ELEMENTWISE&& s.unroll > 1),
    FORM("tiled, transposed, single elements", TILED && !s.tile.transposed.empty() && s.vector_width == 1),
    FORM("tiled, transposed, several neighbours", TILED && !s.tile.transposed.empty() && s.vector_width > 1),
    FORM("stencil, single elements", STENCIL&& s.vector_width == 1),
    FORM("stencil, several neighbours", STENCIL&& s.vector_width > 1),
    FORM("channels", CHANNELS),
    FORM("windows, a row", WINDOWS&& s.windows.rows == 1),
    FORM("windows, several rows", WINDOWS&& s.windows.rows > 1),
    FORM("windows, some beyond the end", WINDOWS && !(s.windows.whole_rows && s.windows.whole_columns)),
    FORM("rows, a thread", ROWS&& plain(s) && s.threads_per_output == 1 && !s.register_cached),
    FORM("rows, part of a warp",
         ROWS&& plain(s) && s.threads_per_output > 1 && s.threads_per_output < 32 && !s.register_cached),
    FORM("rows, a warp", ROWS&& plain(s) && s.threads_per_output == 32 && !s.register_cached),
    FORM("rows, a block", ROWS&& plain(s) && s.threads_per_output > 32 && !s.register_cached && !k.outer.empty()),
    FORM("rows, all of the array", ROWS&& plain(s) && k.outer.empty()),
    FORM("rows, register-cached in a warp", ROWS&& plain(s) && s.threads_per_output <= 32 && s.register_cached),
    FORM("rows, register-cached in a block", ROWS&& plain(s) && s.threads_per_output > 32 && s.register_cached),
    FORM("rows, split", ROWS&& s.blocks_per_output > 1 && !s.grid_barrier && !codegen::has_scans(k)),
    FORM("rows, look-back over several tiles",
         ROWS&& s.blocks_per_output > 1 && !s.grid_barrier && codegen::has_scans(k)),
    FORM("rows, folded over all groups", ROWS&& s.folding_blocks == 1 && k.block_axis < 0),
    FORM("rows, folded over all groups of several blocks", ROWS&& s.folding_blocks > 1 && k.block_axis < 0),
    FORM("rows that fold columns", k.block_axis >= 0),
    FORM("rows, a cluster", ROWS&& s.cluster > 1),
    FORM("rows, grid barrier, one team", ROWS&& s.grid_barrier&& s.block_groups == 1),
    FORM("rows, grid barrier, several teams", ROWS&& s.grid_barrier&& s.block_groups > 1),
    FORM("rows, grid barrier, register-cached", ROWS&& s.grid_barrier&& s.register_cached),
    FORM("rows, grid barrier, read again", ROWS&& s.grid_barrier && !s.register_cached),
    FORM("rows, from the first aligned element on", ROWS&& s.peeled),
    FORM("columns, folded over all groups", COLUMNS&& s.folding_blocks > 0),
    FORM("columns, a thread", COLUMNS&& plain(s) && s.threads_per_output == 1),
    FORM("columns, rows of threads", COLUMNS&& plain(s) && s.threads_per_output > 1),
    FORM("columns, several per thread", COLUMNS&& s.vector_width > 1),
    FORM("columns, split", COLUMNS&& s.blocks_per_output > 1 && !s.grid_barrier && !codegen::has_scans(k)),
    FORM("columns, look-back over several tiles",
         COLUMNS&& s.blocks_per_output > 1 && !s.grid_barrier && codegen::has_scans(k)),
    FORM("columns, grid barrier, one team", COLUMNS&& s.grid_barrier&& s.block_groups == 1),
    FORM("columns, grid barrier, several teams", COLUMNS&& s.grid_barrier&& s.block_groups > 1),
    FORM("columns, grid barrier, register-cached", COLUMNS&& s.grid_barrier&& s.register_cached),
    FORM("columns, grid barrier, read again", COLUMNS&& s.grid_barrier && !s.register_cached),
    FORM("contraction", s.form == schedule_form::contraction && k.nest_axis < 0),
    FORM("contraction, nested", s.form == schedule_form::contraction && k.nest_axis >= 0),
    FORM("tensor", s.form == schedule_form::tensor && k.nest_axis < 0),
    FORM("tensor, nested", s.form == schedule_form::tensor && k.nest_axis >= 0),
    FORM("tensor, slices skipped", s.form == schedule_form::tensor && s.tensor.skips),
    FORM("gathers of several neighbours", s.wide_gathers != 0),
    FORM("several loops", k.loops.size() > 1),
    FORM("reads at computed indices", codegen::computes_indices(k)),
    FORM("several stores", k.stores.size() > 1),
    FORM("reads what it overwrites",
         std::any_of(k.inputs.begin(), k.inputs.end(), [](const auto& in) { return in.may_alias_output; })),
};
static_assert(std::size(forms) <= coverage::max_forms);

/// What may be special about a graph and its arguments.
struct trait {
    const char* name;
    bool (*is)(const fuzz_case& c);
};
bool overlaps(const fuzz_case& c) {
    std::set<int> seen;
    return std::any_of(c.leaves.begin(), c.leaves.end(), [&](const leaf& l) { return !seen.insert(l.buffer).second; });
}
constexpr trait traits[] = {
    {"without fusion", [](const fuzz_case& c) { return c.unfused; }},
    {"lowered as a tree", [](const fuzz_case& c) { return c.as_tree; }},
    {"several results", [](const fuzz_case& c) { return c.roots.size() > 1; }},
    {"may be written over an operand", [](const fuzz_case& c) { return c.target >= 0; }},
    {"written into a part of an array", [](const fuzz_case& c) { return c.into.buffer >= 0; }},
    {"memory from outside",
     [](const fuzz_case& c) {
         return std::any_of(c.leaves.begin(), c.leaves.end(), [](const leaf& l) { return !l.owned; });
     }},
    {"operands over one memory", overlaps},
    {"more than 1000 elements in an operand",
     [](const fuzz_case& c) {
         return std::any_of(c.leaves.begin(), c.leaves.end(),
                            [](const leaf& l) { return size_of_shape(l.shape, l.rank) > 1000; });
     }},
};
static_assert(std::size(traits) <= coverage::max_traits);

constexpr const char* kind_names[] = {"leaf", "scalar",    "constant", "elementwise", "cast",       "reduction",
                                      "scan", "index_map", "reshape",  "iota",        "materialize"};
static_assert(std::size(kind_names) <= coverage::max_kinds);

/// Seeds begin at 1: 0 is no seed.
void add_example(std::uint64_t (&examples)[coverage::max_examples], std::uint64_t seed) {
    for (std::uint64_t& example : examples) {
        if (example == seed || seed == 0) return;
        if (example == 0) example = std::exchange(seed, 0);
    }
}

std::string line(const char* name, std::int64_t count) {
    return fmt::format("  {:<40}{}\n", name, count > 0 ? std::to_string(count) : "never");
}

}  // namespace

void coverage::add(const coverage& other) {
    const auto add_all = [](auto& to, const auto& from) {
        for (std::size_t i = 0; i < std::size(to); ++i) to[i] += from[i];
    };
    add_all(rows, other.rows);
    add_all(kinds, other.kinds);
    add_all(types, other.types);
    add_all(traits, other.traits);
    add_all(forms, other.forms);
    for (int f = 0; f < max_forms; ++f)
        for (const std::uint64_t seed : other.examples[f]) add_example(examples[f], seed);
}

void count_graph(const fuzz_case& c, coverage& into) {
    std::set<int> rows, kinds, types;
    for (const ir::node& n : c.nodes) {
        kinds.insert(static_cast<int>(n.what));
        types.insert(static_cast<int>(n.type));
        if (n.op != nullptr && n.op->builtin >= 0) rows.insert(n.op->builtin);
    }
    for (int row : rows) ++into.rows[row];
    for (int kind : kinds) ++into.kinds[kind];
    for (int type : types) ++into.types[type];
    for (std::size_t t = 0; t < std::size(traits); ++t) into.traits[t] += traits[t].is(c);
}

void count_plan(const codegen::plan& p, const codegen::evaluation& e, std::uint64_t seed, coverage& into) {
    for (const codegen::plan_step& step : p.steps) {
        if (codegen::stores_nothing(step.body) || step.body.call) continue;
        const schedule s = codegen::choose_schedule(step.body, e.where->properties(),
                                                    codegen::alignments(step.body, e, p.needs_staging == 0));
        for (std::size_t f = 0; f < std::size(forms); ++f) {
            if (!forms[f].is(step.body, s)) continue;
            ++into.forms[f];
            add_example(into.examples[f], seed);
        }
    }
}

std::vector<std::string> never_scheduled(const coverage& reached) {
    std::vector<std::string> names;
    for (std::size_t f = 0; f < std::size(forms); ++f)
        if (reached.forms[f] == 0) names.emplace_back(forms[f].name);
    return names;
}

std::string seeds_of_forms(const coverage& reached, const coverage& already, const char* what) {
    std::map<std::uint64_t, std::vector<std::size_t>> forms_of;
    std::set<std::size_t> wanted;
    for (std::size_t f = 0; f < std::size(forms); ++f) {
        if (reached.forms[f] == 0 || already.forms[f] > 0) continue;
        wanted.insert(f);
        for (const std::uint64_t seed : reached.examples[f])
            if (seed != 0) forms_of[seed].push_back(f);
    }
    std::string lines;
    while (!wanted.empty()) {
        const auto missing = [&](const auto& one) {
            return std::count_if(one.second.begin(), one.second.end(),
                                 [&](std::size_t f) { return wanted.contains(f); });
        };
        const auto best = std::max_element(forms_of.begin(), forms_of.end(),
                                           [&](const auto& a, const auto& b) { return missing(a) < missing(b); });
        std::vector<std::string> names;
        for (const std::size_t f : best->second)
            if (wanted.erase(f) > 0) names.emplace_back(forms[f].name);
        lines += fmt::format("{}{}  # {}\n", best->first, what, fmt::join(names, "; "));
    }
    return lines;
}

std::string text(const coverage& reached) {
    std::string all = "graphs:\n";
    for (std::size_t t = 0; t < std::size(traits); ++t) all += line(traits[t].name, reached.traits[t]);
    if (std::any_of(std::begin(reached.forms), std::end(reached.forms), [](std::int64_t n) { return n > 0; })) {
        all += "kernels:\n";
        for (std::size_t f = 0; f < std::size(forms); ++f) all += line(forms[f].name, reached.forms[f]);
    }
    std::vector<std::string> never = unknown_rows();
    for (bool reductions : {false, true})
        for (const op_row* row : known_rows(reductions))
            if (reached.rows[row->builtin] == 0) never.emplace_back(row->name);
    for (std::size_t k = 0; k < std::size(kind_names); ++k)
        if (reached.kinds[k] == 0) never.emplace_back(kind_names[k]);
    for (int t = 0; t < dtype_count; ++t)
        if (reached.types[t] == 0) never.emplace_back(name(static_cast<dtype>(t)));
    if (never.empty()) return all + "every operation, kind of node and dtype was reached\n";
    return all + fmt::format("never reached: {}\n", fmt::join(never, ", "));
}

}  // namespace sinter::fuzz
