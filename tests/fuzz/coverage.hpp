// What a run has reached: operations, kinds of nodes, dtypes, ways to call, and the schedules of kernels. The end of a
// run prints it, so that what is never reached is seen.
#pragma once

#include <runtime/launch/plan.hpp>
#include <tests/fuzz/case.hpp>

#include <cstdint>
#include <string>

namespace sinter::fuzz {

/// How many graphs have each, and how many kernels. Plain numbers, for it lies in memory that processes share.
struct coverage {
    static constexpr int most_rows = 256, most_kinds = 32, most_types = 32, most_traits = 16, most_forms = 48;
    std::int64_t rows[most_rows] = {}, kinds[most_kinds] = {}, types[most_types] = {};
    std::int64_t traits[most_traits] = {}, forms[most_forms] = {};

    void add(const coverage& other);
};

void count_graph(const fuzz_case& c, coverage& into);
/// The kernels of a plan, on a device that runs kernels.
void count_plan(const codegen::plan& p, const codegen::evaluation& e, coverage& into);

/// In words, a line each, and what was never reached at the end.
std::string text(const coverage& reached);

}  // namespace sinter::fuzz
