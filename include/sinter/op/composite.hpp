// Functions composed of the table's rows. They are expressions like a user's own, never ops.
#pragma once

#include <sinter/op/functions.hpp>

namespace sinter {

/// The arithmetic mean over the given axes (all by default). Integers and bool give the default float; an empty
/// reduction gives NaN. Accumulates in the result's dtype.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto mean(A&& a, const Options&... options) {
    constexpr detail::operand_info info[] = {detail::info_of<A>()};
    constexpr dtype floating = detail::compute_dtype(dtype_rule::floating, info);
    using value = element_t<floating>;
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const auto count = detail::reduced_size(a.shape(), detail::mask_of<rank>("mean", options...));
    return sum(astype<value>(std::forward<A>(a)), options...) / static_cast<value>(count);
}

}  // namespace sinter
