// Loads at computed indices: which of them a schedule can widen, and what their indices cost.
#pragma once

#include <codegen/schedule/access.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Whether a load reads at a computed index.
inline bool is_gather(const value& v) { return v.what == value_kind::load && v.in[0] >= 0; }

/// A number that divides an integer value at every index: 0 if the value is 0.
std::int64_t divisor_of(const loop_nest& k, int of);

/// Every gather.
std::vector<access> gathers_of(const loop_nest& k);

/// Whether a gather can move `vector` neighbours along the axis `fast`: they have one index or run along a row, and
/// each row of the array begins at a multiple of them.
bool can_gather(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment);

/// The axis along which an access of a schedule moves neighbours in a loop, or in a kernel without loops; -1 for none,
/// as in loops with scans, which compute what they fold element by element.
int neighbour_axis(const loop_nest& k, const schedule& s, int loop);

/// The gathers of a schedule's loops that move as many neighbours as its accesses (schedule::wide_gathers).
std::uint64_t wide_gathers_of(const loop_nest& k, const schedule& s, const std::vector<int>& alignment);

/// For how many displacements of wide gathers a value is computed, once per access, and whether it is computed for each
/// element.
struct value_use {
    int displacements = 0;
    bool elements = true;
};
std::vector<value_use> uses_of_values(const loop_nest& k, const schedule& s);

/// Whether a value, such as the index of a gather, depends on an array's elements.
bool is_loaded(const loop_nest& k, int value);

/// How many gathers come before one: its bit in schedule::wide_gathers.
int ordinal_of_gather(const loop_nest& k, int value);
/// Whether a value is a gather that moves neighbours.
bool is_wide_gather(const loop_nest& k, const schedule& s, int value);

}  // namespace sinter::codegen
