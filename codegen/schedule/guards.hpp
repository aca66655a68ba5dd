// Conditions under which a kernel uses what it loads, where the neighbours of an access share them: along the axis of a
// stack or of concatenated rows, an access is within one operand and need not load the others.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen {

struct guard {
    int condition = -1;    ///< a value, computed from indices and numbers alone
    bool holds = true;     ///< whether it must be true, or false
    bool chooses = false;  ///< whether something else is loaded in the other case
};

/// The guards of a load whose accesses move neighbours along `axis`. In a loop only those that a group has once.
std::vector<guard> guards_of(const loop_nest& k, int load, int axis);

}  // namespace sinter::codegen
