// Making a failing case small: the same failure with fewer nodes, shorter axes and plainer arguments.
#pragma once

#include <tests/fuzz/case.hpp>

#include <functional>

namespace sinter::fuzz {

/// The smallest case found for which `fails` still holds. Tries at most `tries` of them.
fuzz_case shrink(fuzz_case c, const std::function<bool(const fuzz_case&)>& fails, int tries);

}  // namespace sinter::fuzz
