// From a scheduled loop nest to a device program, a function of the kernel's class alone. It makes no decisions.
#pragma once

#include <codegen/device/program.hpp>
#include <codegen/lower/kernel_class.hpp>

namespace sinter::codegen::lower {

/// The device program of the class, verified.
device_ir::program lower(const kernel_class& c);

/// The program of an element function, verified: of a class with the schedule element_schedule(), at one position.
/// `given`: the input whose element the caller provides, and whose results are stored; -1: the element is returned.
device_ir::program lower_element(const kernel_class& c, int given);

}  // namespace sinter::codegen::lower
