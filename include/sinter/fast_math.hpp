// Opt-in to faster, less accurate float32 functions.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// Whether this thread is in a fast_math_scope, which affects evaluations, explain() and source().
bool current_fast_math();

/// Until the end of the scope, this thread's evaluations on CUDA devices compute float32 with the device's fast
/// intrinsics:
///
///     fast_math_scope fast;
///     price = black_scholes(s, k, t);
///
/// exp, log, sin, cos, tan, pow, division, sqrt, erf and erfc lose accuracy (division is off by at most 2 ulp within
/// 2^±126, exp by 2 + 1.16 |x| ulp, erf and erfc by 1e-6, sin and log by 2^-21 within [-pi, pi] and [0.5, 2]), and
/// subnormal numbers flush to 0: CUDA C++ Programming Guide, "Intrinsic Functions", and nvcc's --use_fast_math. Sums
/// keep their order, so results stay reproducible bit for bit. Doubles, integers and the host are not affected.
class fast_math_scope {
public:
    explicit fast_math_scope(bool on = true);

private:
    detail::scoped<bool> set_;
};

}  // namespace sinter
