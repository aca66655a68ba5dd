// Runs a run-time expression to measure its time.
#pragma once

#include <tools/explain/node.hpp>

namespace sinter::spoken {

/// The median time of one evaluation on the current device, with operands of zeros.
double median_seconds(const lowered& expression);

}  // namespace sinter::spoken
