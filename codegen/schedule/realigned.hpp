// Gathers whose neighbours are a run that begins at any element, as rolls and the parts of a join have them. A thread
// loads the two aligned vectors around its run and shifts its neighbours out of them, where element by element it
// would compute an index and touch a line for each. Whether its neighbours are a run is decided once per access: they
// are not where a roll wraps around or, along one axis, where a row ends.
//
// The vectors may hold elements that no thread needs. They lie within the array, so that reading them is allowed:
// the kernel knows how many elements follow an input's address, and takes element by element what is nearer to the
// array's ends than a vector.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// What is computed of the index of a gather whose neighbours are a run, but at the ends of its parts or rows.
struct gathered_run {
    std::vector<int> parts;      ///< clamped where the part ends (index_of_part)
    std::vector<int> rolls;      ///< that wrap around (index_rolled)
    std::vector<int> quotients;  ///< that change where a row ends: the neighbours are a run if they have one
};

/// Empty where neighbours along an axis are no run.
std::optional<gathered_run> run_of(const loop_nest& k, int displacement, int axis);

/// Whether a gather of a kernel without loops can be realigned, with accesses of `vector` neighbours, and would be
/// faster than element by element.
bool can_realign(const loop_nest& k, int load, int vector, const std::vector<int>& alignment);

/// The gathers of a schedule that are realigned: those that are not aligned (schedule::realigned).
std::uint64_t realigned_gathers_of(const loop_nest& k, const schedule& s, const std::vector<int>& alignment);

/// Whether a value is one of them.
bool is_realigned(const loop_nest& k, const schedule& s, int value);

}  // namespace sinter::codegen
