// The class of a kernel: what its source depends on. Kernels that differ in extents, general strides, addresses or
// launch values alone have one class, so one compiled kernel serves them all.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// What a kernel's source may know of a stride.
enum class step : std::uint8_t { none, unit, general };

/// A kernel and its schedule with all that the source does not depend on left out: no extents, no leaves; strides are
/// values of `step`; whether several blocks share a group, but not how many.
struct kernel_class {
    kernel body;
    schedule how;
    /// Of each layout, the first one with the same strides along the outer axes: both start a group at the same place.
    std::vector<int> equivalent_layouts;
    /// Of each value, where elements stay in registers: the first element load that reads the same elements in the same
    /// order, in whatever loop it stands; other values themselves.
    std::vector<int> equivalent_loads;

    bool operator==(const kernel_class&) const = default;
};

kernel_class class_of(const kernel& k, const schedule& s);

/// A class as bytes: equal exactly where the classes are. Derived from the members of all structs in it.
std::string key_of(const kernel_class& c);

}  // namespace sinter::codegen
