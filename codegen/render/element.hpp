// The device function of one loop: what happens to one element, apart from where it lies and which thread does it.
#pragma once

#include <codegen/render/context.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

struct element_function {
    std::string name;
    std::string definition;
    std::vector<int> loads;       ///< the element loads it takes
    std::vector<int> scans;       ///< the running values it takes
    std::vector<int> places;      ///< the indices it takes, and the loads for which it takes a pointer to start from
    std::vector<int> outside;     ///< the other values it takes: of the group, or scalars
    std::vector<int> reductions;  ///< accumulators it updates
    std::vector<int> stores;      ///< positions in kernel::stores that it computes
    int scanned = -1;             ///< the scan whose operand it computes, or -1
    bool returns = false;         ///< its only result is returned rather than written through a reference
};

/// The function of an inner loop, or of an elementwise kernel for group_level.
element_function make_element_function(context& c, int loop, const std::string& name);

/// The function of what a scan runs along, returned; without a name where that is a load itself.
element_function make_scanned_function(context& c, int scan, const std::string& name);

/// How a call's operands are spelled.
struct call_spelling {
    std::function<std::string(int)> element;       ///< a load
    std::function<std::string(int)> place;         ///< an index, or the pointer that a computed place is counted from
    std::function<std::string(int)> accumulator;   ///< a reduction
    std::function<std::string(int)> result;        ///< a store, or the operand of a scan
    std::function<std::string(int)> running = {};  ///< a scan
};
std::string call(const context& c, const element_function& f, const call_spelling& spelled);

}  // namespace sinter::codegen
