// Evaluates the index arithmetic of a device program for the lanes of a warp, and counts what its expressions do.
#pragma once

#include <codegen/cost/count.hpp>
#include <codegen/cost/warp_values.hpp>

#include <map>
#include <utility>
#include <vector>

namespace sinter::codegen::device_ir {

/// The start of an array of global memory: an element offset in the parameter that it is a part of.
struct global_origin {
    int parameter = -1;  ///< index into the program's parameters
    warp_value position;
};

class expression_walk {
public:
    expression_walk(const program& counted, std::int64_t blocks, const launch_arguments& arguments);
    expression_walk(const expression_walk&) = delete;
    expression_walk& operator=(const expression_walk&) = delete;
    virtual ~expression_walk() = default;

    statement_counts counts;

protected:
    virtual void run(const std::vector<statement>& all, lane_mask m) = 0;

    void set(id variable, const warp_value& value, lane_mask m);
    /// The lanes for which a condition holds; all lanes if it depends on data.
    lane_mask where(id condition, lane_mask m);
    warp_value value_of(id e, lane_mask m);
    void store(id target, const warp_value& value, lane_mask m);
    /// Counts an access and returns the elements' offsets in their array.
    warp_value touch(const expression& x, bool is_store, lane_mask m);
    warp_value position(const expression& x, lane_mask m);
    warp_value absolute_position(const expression& x, lane_mask m);

    const program& p;
    const std::int64_t grid;
    std::vector<warp_value> variables;
    std::vector<global_origin> origins;                          ///< per array of global memory
    std::map<std::pair<id, std::int64_t>, std::int64_t> shared;  ///< of index arithmetic: flags and numbers
    std::int64_t block = 0;
    int first_thread = 0;
    std::int64_t weight = 1;  ///< how many turns of the loops around it a statement stands for
    lane_mask left = 0;       ///< lanes of the warp that have left

private:
    warp_value arithmetic(const expression& x, lane_mask m);
    warp_value quotient(const expression& x, lane_mask m);
    warp_value operation(const expression& x, lane_mask m);
    warp_value cast(const expression& x, lane_mask m);
    warp_value call(const expression& x, lane_mask m);
    warp_value load(const expression& x, lane_mask m);
    void pass_pointer(id array, const expression& element, lane_mask m);
    warp_value shared_position(const expression& x, lane_mask m);

    const launch_arguments& argument_;
};

}  // namespace sinter::codegen::device_ir
