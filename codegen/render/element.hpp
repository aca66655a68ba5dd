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
    std::vector<int> outside;     ///< the other values it takes: of the group, or scalars
    std::vector<int> reductions;  ///< accumulators it updates
    std::vector<int> stores;      ///< positions in kernel::stores that it computes
    bool returns = false;         ///< its only result is returned rather than written through a reference
};

/// The function of an inner loop, or of an elementwise kernel for group_level.
element_function make_element_function(context& c, int loop, const std::string& name);

/// A call, its operands spelled by `element` (a load), `accumulator` (a reduction) and `result` (a store).
std::string call(const context& c, const element_function& f, const std::function<std::string(int)>& element,
                 const std::function<std::string(int)>& accumulator, const std::function<std::string(int)>& result);

}  // namespace sinter::codegen
