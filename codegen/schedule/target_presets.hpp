// Devices by architecture, for schedules that are made elsewhere.
#pragma once

#include <codegen/schedule/schedule.hpp>

namespace sinter::codegen {

/// The most common device of an architecture (10 * major + minor). Throws sinter::error for one that is not known.
device_properties preset_of(int arch);

}  // namespace sinter::codegen
