// The device function of one loop: the computation at one element, whatever its index and thread.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

struct displacement_function;

struct element_function {
    device_ir::id function = device_ir::none;  ///< none: the operand of a scan is itself a load
    std::vector<int> loads;                    ///< element loads that it takes, and given values
    std::vector<int> scans;                    ///< scans whose values it takes
    std::vector<int> places;                   ///< indices that it takes, and gathers whose base pointers it takes
    std::vector<int> outside;                  ///< other values that it takes: those of the group, and scalars
    std::vector<int> reductions;               ///< accumulators that it updates
    std::vector<int> stores;                   ///< positions in kernel::stores that it computes
    std::vector<int> kept;                     ///< values that it leaves for later loops
    std::vector<int> given;                    ///< of `loads`: values that an earlier loop left
    int scanned = -1;                          ///< scan whose operand it computes, or -1
    bool returns = false;                      ///< it returns its only result, rather than writing through references
    /// What its wide gathers add to their indices and its loop computes, and the conditions under which it uses its
    /// loads: once per access, before these.
    std::vector<displacement_function> displacements;
};

struct displacement_function {
    enum class purpose : std::uint8_t {
        index,     ///< what a gather adds
        beyond,    ///< the same of a realigned gather, going on beyond the ends of its parts, as if these were longer
        quotient,  ///< what a realigned gather's neighbours must have in common
        condition  ///< under which loads are used
    };
    int value = -1;
    purpose what = purpose::index;
    element_function of = {};
};

/// The function of an inner loop; for group_level, of a kernel without inner loops. It takes the values `given` as it
/// takes loads, and does not compute them. It leaves the values `kept` for later loops.
element_function make_element_function(lowering& c, int loop, const std::string& name,
                                       const std::vector<int>& given = {}, const std::vector<int>& kept = {});

/// The function that computes a scan's operand; none if the operand is a load.
element_function make_scanned_function(lowering& c, int scan, const std::string& name);

/// The function that computes a value used in a loop; none if the loop does not compute it.
/// The values `beyond`, indices of parts, go on beyond the ends of these. The function takes the values `given` as it
/// takes loads.
element_function make_value_function(lowering& c, int value, int loop, const std::string& name,
                                     const std::string& comment, const std::vector<int>& beyond = {},
                                     const std::vector<int>& given = {});

/// The arguments of a call.
struct call_arguments {
    std::function<scalar(int)> element;           ///< a load's
    std::function<scalar(int)> place;             ///< an index, or the element that a gather's index counts from
    std::function<scalar(int)> accumulator = {};  ///< a reduction's
    std::function<scalar(int)> result = {};       ///< destination of a store's value, or of a scan's operand
    std::function<scalar(int)> scan = {};         ///< a scan's value at this element
    std::function<scalar(int)> kept = {};         ///< destination of a value for later loops
};

/// Emits the call.
void call(lowering& c, const element_function& f, const call_arguments& given);

/// A value of a displacement's function.
scalar call(lowering& c, const displacement_function& d, const call_arguments& given);

/// Adds the conditions under which a function of a kernel without loops uses its loads.
void add_conditions(lowering& c, element_function& f);

/// Computes what the wide gathers of a function add to the current index.
void let_displacements(lowering& c, const element_function& f, const call_arguments& given);

/// Whether an earlier loop left a value that a function takes.
bool is_given(const element_function& f, int value);

/// The loads of a function but its wide gathers, with those that displacements take.
std::vector<int> plain_loads_of(const lowering& c, const element_function& f);
std::vector<int> gather_loads_of(const lowering& c, const element_function& f);  ///< its wide gathers

}  // namespace sinter::codegen::lower
