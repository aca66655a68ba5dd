// The device function of one loop: what happens to one element, apart from where it lies and which thread does it.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

struct element_function {
    device_ir::id function = device_ir::none;  ///< none: what a scan folds is a load itself
    std::vector<int> loads;                    ///< the element loads that it takes
    std::vector<int> scans;                    ///< the scans whose values it takes
    std::vector<int> places;      ///< the indices that it takes, and the gathers for which it takes a pointer
    std::vector<int> outside;     ///< the other values that it takes: of the group, or scalars
    std::vector<int> reductions;  ///< accumulators that it updates
    std::vector<int> stores;      ///< positions in kernel::stores that it computes
    int scanned = -1;             ///< the scan whose operand it computes, or -1
    bool returns = false;         ///< its only result is its value rather than written through a reference
};

/// The function of an inner loop, or of an elementwise kernel for group_level.
element_function make_element_function(lowering& c, int loop, const std::string& name);

/// The function of what a scan folds, its value; none where that is a load itself.
element_function make_scanned_function(lowering& c, int scan, const std::string& name);

/// The arguments of a call.
struct call_arguments {
    std::function<scalar(int)> element;           ///< a load's
    std::function<scalar(int)> place;             ///< an index's, or the element that a gather counts from
    std::function<scalar(int)> accumulator = {};  ///< a reduction's
    std::function<scalar(int)> result = {};       ///< where a store's value goes, or the operand of a scan
    std::function<scalar(int)> scan = {};         ///< a scan's value at this element
};

/// The statement that calls it.
void call(lowering& c, const element_function& f, const call_arguments& given);

}  // namespace sinter::codegen::lower
