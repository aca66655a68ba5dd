// The kernels of a call together with its element functions.
#pragma once

#include <codegen/functions/launches.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

struct fused_call {
    call_launches launches;                  ///< whose keys and sources include the functions: pass {} to `source`
    std::vector<printed_element> functions;  ///< of loop_nest::element_functions
    std::vector<schedule> schedules;         ///< and their schedules, for launch_value
};

/// `k` is a call, with or without element functions.
fused_call kernels_of_call(const loop_nest& k, const device_properties& m);

}  // namespace sinter::codegen
