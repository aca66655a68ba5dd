// Functions that <cmath> lacks, in the reference's precision, by other ways than the library's.
#pragma once

#include <tests/fuzz/known.hpp>

namespace sinter::fuzz {

real sin_of_pi(real x);  ///< sin(pi x)
real cos_of_pi(real x);

real erf_inverse(real x);
real erfc_inverse(real x);
real scaled_erfc(real x);      ///< exp(x^2) erfc(x)
real normal_below(real x);     ///< the normal distribution's weight below x
real normal_quantile(real p);  ///< where that is p

/// The modified Bessel function of the first kind and a whole order.
real modified_bessel(int order, real x);

}  // namespace sinter::fuzz
