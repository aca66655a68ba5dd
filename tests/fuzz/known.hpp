// What the reference knows of one element: for a floating dtype an interval that every right evaluation must hit, for
// a complex one an interval of each part, for the others the value itself. An interval rather than a value and a
// tolerance: where operands cancel it widens by what their roundings can do, and where every intermediate is
// representable it stays a point, so that sums of small integers must be exact.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>

namespace sinter::fuzz {

/// Wider than float64, so that the reference's own roundings stay below an interval's ends.
using real = long double;

enum class certainty : std::uint8_t {
    sure,     ///< the interval, or the integer
    nan,      ///< NaN in every evaluation
    unknown,  ///< nothing: an evaluation may give any value (floating to integer out of range, a comparison of
              ///< neighbours, a range that reaches beyond a function's domain)
};

/// An element's bytes, low end first.
struct word {
    std::uint64_t low = 0, high = 0;  ///< `high`: the imaginary part of a complex128
    bool operator==(const word&) const = default;
};

struct known {
    real lo = 0, hi = 0;  ///< floating dtypes; either may be infinite. The sign of a zero says nothing
    real im_lo = 0,
         im_hi = 0;  ///< complex dtypes: the imaginary part. Where a part is no finite number nothing is known
    std::int64_t integer = 0;  ///< other dtypes: sign- or zero-extended from the dtype's width; bool: 0 or 1
    certainty state = certainty::sure;

    bool is_sure() const { return state == certainty::sure; }
    bool is_point() const {
        return state == certainty::nan || (state == certainty::sure && lo == hi && im_lo == im_hi);
    }
    /// The one value of a point.
    real point() const;
};

known unknown();
known not_a_number();
known whole(std::int64_t integer);
known truth(bool value);
/// An element of a floating dtype that is exactly this.
known exactly(real value);
/// A complex element of these parts, and its parts.
known joined(const known& re, const known& im);
known real_part(const known& z);
known imaginary_part(const known& z);

/// What storing a value of [lo, hi] in dtype `type` may give, each end off by at most `ulps` units in the last place.
/// 0 means rounded correctly: then a representable value is exact, and any other is off by less than one unit, whether
/// it was rounded or, contracted into a fused multiply-add, was not. Half types likewise: within a kernel they are not.
known rounded(dtype type, real lo, real hi, int ulps);

/// An integer cut to the width of a dtype, as C++ converts; to bool: whether it is not 0.
std::int64_t wrapped(dtype type, std::int64_t value);
bool is_unsigned(dtype type);

/// The conversion from one dtype to another.
known converted(const known& x, dtype from, dtype to);

/// Whether a floating dtype has this number.
bool is_number_of(dtype type, real value);

/// An element as what is known of it; and a sure element's bytes, an interval's middle.
known read(dtype type, word bits);
word bits_of(dtype type, const known& x);

/// Whether an element computed by a device is one that the reference allows.
bool admits(const known& x, dtype type, word bits);
/// "[0.30000001, 0.30000004]", "NaN", "anything", "-3".
std::string text(const known& x, dtype type);
/// "0.3", "-3", "true".
std::string text(dtype type, word bits);

}  // namespace sinter::fuzz
