// What a run has reached: operations, kinds of nodes, dtypes, ways to call, and the schedules of kernels. The end of a
// run prints it, so that what is never reached is seen.
#pragma once

#include <runtime/launch/plan.hpp>
#include <tests/fuzz/case.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::fuzz {

/// How many graphs have each, and how many kernels. Plain numbers, for it lies in memory that processes share.
struct coverage {
    static constexpr int max_rows = 256, max_kinds = 32, max_types = 32, max_traits = 16, max_forms = 49;
    std::int64_t rows[max_rows] = {}, kinds[max_kinds] = {}, types[max_types] = {};
    std::int64_t traits[max_traits] = {}, forms[max_forms] = {};
    /// The first graphs, by seed, that have a kernel of each form.
    static constexpr int max_examples = 4;
    std::uint64_t examples[max_forms][max_examples] = {};

    void add(const coverage& other);
};

void count_graph(const fuzz_case& c, coverage& into);
/// The kernels of a plan, on a device that runs kernels; the plan is that of the graph of this seed.
void count_plan(const codegen::plan& p, const codegen::evaluation& e, std::uint64_t seed, coverage& into);

/// The forms of schedule that no kernel had.
std::vector<std::string> never_scheduled(const coverage& reached);
/// The seeds of a few graphs that together have every form that was reached and was not already: a line each, with
/// `what` behind the seed.
std::string seeds_of_forms(const coverage& reached, const coverage& already, const char* what);

/// In words, a line each, and what was never reached at the end.
std::string text(const coverage& reached);

}  // namespace sinter::fuzz
