// Values that a thread computes in one loop of a group and keeps in registers for later loops, where the schedule keeps
// the group's elements: in softmax(gelu(x)) the gelu, which each of two loops would compute again. Compilers see that
// two loops compute the same, but not that the second finds it done, because each tests whether an element exists.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstddef>
#include <vector>

namespace sinter::codegen {

/// By value: the first one, of any loop, that is the same at the same element of a group; other values map to
/// themselves. Loads, indices, and what is computed of them.
std::vector<int> equivalent_values(const loop_nest& k);
/// The same where the schedule keeps the group's elements; else all values map to themselves.
std::vector<int> equivalent_values(const loop_nest& k, const schedule& s);

struct kept_values {
    std::vector<std::vector<int>> computed;  ///< by loop: what it computes for later loops
    std::vector<std::vector<int>> given;     ///< by loop: values that an earlier loop computed for it
    std::vector<char> is_needed;             ///< by value: whether its loop loads or computes it

    bool needs(int v) const { return is_needed[static_cast<std::size_t>(v)] != 0; }
};

/// The values that are worth their registers. `equivalents`: see equivalent_values. All loops have as many steps.
kept_values kept_values_of(const loop_nest& k, const schedule& s, const std::vector<int>& equivalents);
kept_values kept_values_of(const loop_nest& k, const schedule& s);

/// Whether a kernel's schedule may keep values beside loads.
bool may_keep_values(const loop_nest& k);

/// How many functions the loops call where their elements are kept: those that function_calls counts, but each once.
int function_calls_of_kept(const loop_nest& k);

}  // namespace sinter::codegen
