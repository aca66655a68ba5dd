// Divides a member's share of a stage into pieces: those computable at once, and those that wait for other members.
#pragma once

#include <runtime/distributed/piece_graph.hpp>

#include <map>
#include <vector>

namespace sinter::codegen {

/// A piece, and the leaf ranges that the member lacks for it.
struct piece_range {
    std::vector<wanted_range> wanted;
    std::map<int, std::vector<interval>> missing;
    std::size_t first_window = 0, end_window = 0;  ///< indices into the stage's windows, once numbered
};

/// The pieces of a member's work; those that lack nothing come first. There is a single piece if nothing is missing,
/// the ranges differ, or division is not allowed.
std::vector<piece_range> divided_ranges(const split_graph& g, int member, const std::vector<wanted_range>& wanted,
                                        bool may_divide);

}  // namespace sinter::codegen
