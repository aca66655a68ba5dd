// Faster, less exact functions of float32, for those who ask for them.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// Whether this thread's evaluations, explain() and source() may compute with fast_math: in a fast_math_scope.
bool current_fast_math();

/// Until the end of the scope this thread's evaluations on CUDA devices compute float32 with the device's short
/// functions:
///
///     fast_math_scope fast;
///     price = black_scholes(s, k, t);
///
/// exp, log, sin, cos, tan, pow, division, sqrt and erf lose digits (a division is off by at most 2 units in the last
/// place within 2^±126, exp by 2 + 1.16 |x|, erf by 1e-6, sin and log by 2^-21 within [-pi, pi] and [0.5, 2]), and
/// subnormal numbers count as 0: CUDA C++ Programming Guide, "Intrinsic Functions", and nvcc's --use_fast_math. Sums
/// keep their order, so that the same bits come out run after run. Doubles, integers and the host know no difference.
class fast_math_scope {
public:
    explicit fast_math_scope(bool on = true);

private:
    detail::scoped<bool> set_;
};

}  // namespace sinter
