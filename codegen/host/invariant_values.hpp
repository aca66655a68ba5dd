// Loop-invariant values: what varies along fewer axes than the loop that computes it, as exp(s) does in
// sum(exp(s)(all, newaxis) * x, axis=0). A kernel on a device computes such a value again for each element, since its
// threads share nothing. The host computes it once, by a kernel of its own, into a small array that the loop reads.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

struct invariant_cut {
    struct part {
        loop_nest body;             ///< without loops; stores row-major arrays. Its inputs are the kernel's
        std::int64_t elements = 0;  ///< of each array
    };
    std::vector<part> parts;
    loop_nest rest;  ///< the kernel's own outputs; reads all parts' outputs in order after the kernel's own inputs
};

/// The kernel cut at its invariant values; nothing if no value is computed often enough to pay for an array.
std::optional<invariant_cut> cut_invariant_values(const loop_nest& k);

}  // namespace sinter::codegen::blocked
