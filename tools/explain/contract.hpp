// Assertions about the kernels of an expression, such as launches==1, for use in a user's tests.
#pragma once

#include <sinter/explain.hpp>

#include <string>
#include <vector>

namespace sinter::spoken {

/// Returns one line for each of the comma-separated conditions that does not hold, with the values of both sides.
///
/// A condition compares two sums, products or quotients of numbers and these names:
///
///     launches          kernels                  unfused_launches  kernels without fusion
///     bytes             their traffic            unfused_bytes     traffic without fusion
///     least             compulsory traffic       milliseconds      predicted, of all kernels
///     registers         per thread, maximum over kernels        spills   bytes, likewise     shared   likewise
///
/// The last three are known only if NVRTC is available. Throws sinter::error for an invalid condition.
std::vector<std::string> broken(const std::string& conditions, const explanation& e, double least);

}  // namespace sinter::spoken
