// The class of a kernel: what its source depends on. Kernels that differ only in extents, general strides, addresses or
// launch values have the same class, so one compiled kernel serves them all.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// What a kernel's source may depend on of a stride.
enum class step : std::uint8_t { none, unit, general };

/// A kernel and its schedule without what the source does not depend on: no extents, no leaves; strides are values of
/// `step`; whether several blocks share a group, but not how many.
struct kernel_class {
    loop_nest body;
    schedule how;
    /// By layout: the first one with the same strides along the outer axes. Both start a group at the same index.
    std::vector<int> equivalent_layouts;
    /// By value, for register-cached kernels: the first one, of any loop, that is the same at the same element
    /// (codegen/schedule/kept_values.hpp); other values map to themselves.
    std::vector<int> equivalents;

    bool operator==(const kernel_class&) const = default;
};

kernel_class class_of(const loop_nest& k, const schedule& s);

/// A class as bytes: equal if and only if the classes are. Derived from the members of all structs in it.
std::string key_of(const kernel_class& c);

}  // namespace sinter::codegen
