// The launches of at(x, indices) += values that add in any order.
#pragma once

#include <codegen/functions/sum_plan.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/host/scatter.hpp>

#include <vector>

namespace sinter::codegen {

/// The values of a scatter, with complex numbers as pairs of floats.
values_at_indices values_of(const scatter& s);

void launch_sums(kernel_device& where, const scatter& s);

/// The kernels that some GPU launches for a scatter.
std::vector<sum_source> sources_of_sums(const values_at_indices& v);

}  // namespace sinter::codegen
